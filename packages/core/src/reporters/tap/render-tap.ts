import { casesOf } from "../../engine/summary/cases-of.js";
import type { RunResult, TestResult } from "../../engine/run-result.js";
import { visible, visibleLine } from "../../values/visible.js";
import type { RenderOptions } from "../define-reporter.js";
import { whyNotPassed } from "../why-not-passed.js";

export async function* renderTap(result: RunResult, options: RenderOptions): AsyncIterable<string> {
  const total = result.suites.reduce((sum, { tests }) => sum + tests.length, 0);
  const nothing = total === 0 ? " # SKIP no test ran" : "";
  yield `TAP version 14\n1..${total}${nothing}\n`;
  let number = 0;
  for (const test of casesOf(result.suites)) {
    number += 1;
    yield `${pointOf(test, number, options)}\n`;
    // One case after the other keeps memory flat.
    const why = test.status === "skipped" ? [] : await whyNotPassed(test, result, options);
    if (why.length > 0) yield diagnosticsOf(test.status, why);
  }
  for (const gate of result.gates) if (!gate.pass) yield comment(`gate ${options.redact(gate.message)}`);
  for (const reason of result.run.interrupted ? ["the run was interrupted"] : []) yield `Bail out! ${reason}\n`;
}

function pointOf(test: TestResult, number: number, { redact }: RenderOptions): string {
  const isOk = test.status === "passed" || test.status === "skipped";
  const name = escaped(visibleLine(redact(test.id)));
  const point = `${isOk ? "ok" : "not ok"} ${number} - ${name}`;
  if (test.status === "skipped") return `${point} # SKIP ${escaped(visibleLine(redact(test.reason)))}`;
  if (test.status === "failed" && test.allowFailure !== null) {
    return `${point} # todo ${escaped(visibleLine(redact(test.allowFailure)))}`;
  }
  return point;
}

/** A block of YAML, whose strings are JSON, which is YAML too. */
function diagnosticsOf(status: TestResult["status"], why: readonly string[]): string {
  const lines = ["---", `severity: ${status === "errored" ? "error" : "fail"}`, "message:"];
  return `${[...lines, ...why.map((line) => `  - ${JSON.stringify(visible(line))}`), "..."]
    .map((line) => `  ${line}`)
    .join("\n")}\n`;
}

function comment(text: string): string {
  return `# ${visibleLine(text)}\n`;
}

/** What would begin a directive, or escape one. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("#", "\\#");
}
