import { listCases, type ListedCase, type RunTestsOptions } from "@kindlm/core";
import { visibleLine } from "@kindlm/core/program";
import type { CliEnvironment } from "../../environment.js";
import type { RunMessages } from "../../listeners/run-messages.js";
import { toJson } from "../print-answer.js";

interface ListRequest {
  options: RunTestsOptions;
  world: CliEnvironment["core"];
  stdout: CliEnvironment["stdout"];
  json: boolean;
  messages: RunMessages;
  print(text: string): Promise<unknown>;
}

/** Shows the cases of a run, and what keeps some of them from running. The exit code is 1 if the list lacks cases. */
export async function showCaseList({ options, world, stdout, json, messages, print }: ListRequest): Promise<number> {
  const listed = await listCases(options, world);
  if (!listed.success) {
    await print(messages.error(listed.error));
    return 1;
  }
  const { cases, diagnostics, isWhole } = listed.data;
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  await stdout.write(json ? toJson(cases) : render(cases), json ? "json" : "text");
  await print(messages.diagnostics(errors));
  return isWhole ? 0 : 1;
}

/** The ids of the cases, one per line. */
function render(cases: readonly ListedCase[]): string {
  return cases.map(({ id, skip }) => `${visibleLine(skip === null ? id : `${id} (skipped: ${skip})`)}\n`).join("");
}
