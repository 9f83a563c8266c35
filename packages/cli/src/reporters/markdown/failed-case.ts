import type { RenderOptions, TestResult, TrialResult, TrialToolCall } from "@kindlm/core";
import { failingAssertions, maskFor } from "@kindlm/core/program";
import { codeBlock, htmlCode, inlineCode } from "./untrusted.js";

const longestText = 2_000;

/** A failed case, folded: what was missed, what the agent called, and what it answered. */
export function renderFailedCase(
  test: TestResult & { status: "failed" },
  decisive: TrialResult | null,
  { redact }: RenderOptions,
): string {
  const { assertions, toolCalls, output } = decisive ?? { assertions: [], toolCalls: [], output: "" };
  const mask = maskFor(assertions, redact);
  const failing = failingAssertions(assertions);
  const runs = test.runs > 1 ? ` ${test.passes} of ${test.runs} runs passed, ${test.required} needed` : "";
  const allowed = test.allowFailure === null ? "" : ` (allowed: ${htmlCode(redact(test.allowFailure))})`;
  const first = failing[0] === undefined ? "" : `: ${htmlCode(cut(mask(failing[0].message), 300))}`;
  return [
    `<details><summary>${htmlCode(redact(test.id))}${allowed}${runs}${first}</summary>`,
    "",
    ...(test.position === null ? [] : [inlineCode(redact(`${test.position.file}:${test.position.line}`)), ""]),
    ...failing.map(
      ({ type, id, message }) => `- ${inlineCode(id ?? type)} ${inlineCode(cut(mask(message), longestText))}`,
    ),
    "",
    ...(toolCalls.length === 0 ? [] : ["Tool calls:", "", codeBlock(cut(mask(renderCalls(toolCalls)), longestText))]),
    ...(output.trim() === "" ? [] : ["Answer:", "", codeBlock(cut(mask(output), longestText))]),
    "</details>",
    "",
  ].join("\n");
}

function renderCalls(calls: readonly TrialToolCall[]): string {
  return calls
    .map(({ tool, args, error }) => {
      const failed = error === undefined ? "" : ` → ${error.errorType}: ${error.message}`;
      return `${tool}(${JSON.stringify(args) ?? ""})${failed}`;
    })
    .join("\n");
}

/** Cut after masking, so that no half of a secret is left. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…`;
}
