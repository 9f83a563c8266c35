import { findRemoteRun, type RemoteRun } from "@kindlm/core/commands/remote-runs";
import { renderUsd, visibleLine, withCounts } from "@kindlm/core/program";
import { UsageError } from "../../errors/usage-error.js";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { showCommand } from "./command.js";

export async function showRemote(invocation: InvocationOf<typeof showCommand>): Promise<number> {
  const { args, flags, global, environment } = invocation;
  const [run] = args;
  if (run === undefined || run === "last") {
    throw new UsageError("--remote needs the whole ID of a run", "List the runs: kindlm runs --remote");
  }
  const options = { run, paths: global.config, ...given({ server: flags.server, project: flags.project }) };
  const found = await findRemoteRun(options, environment.core);
  if (!found.success) return printError(invocation, found.error);
  return printAnswer(invocation, { data: found.data, text: render(found.data) });
}

function render(run: RemoteRun): string {
  const { id, url, branch, commit, startedAt, counts, costUsd } = run;
  const facts: readonly (readonly [string, string])[] = [
    ["state", run.verdict ?? ""],
    ["branch", branch ?? ""],
    ["commit", commit ?? ""],
    ["started", startedAt ?? ""],
    [
      "cases",
      withCounts`${counts.passed} passed, ${counts.failed} failed, ${counts.errored} errored, ${counts.skipped} skipped`,
    ],
    ["cost", costUsd === null ? "?" : renderUsd(costUsd)],
    ["page", url],
  ];
  const lines = facts
    .filter(([, text]) => text !== "")
    .map(([name, text]) => `  ${name.padEnd(8)} ${visibleLine(text)}`);
  return `Run ${visibleLine(id)}\n${lines.join("\n")}\n`;
}
