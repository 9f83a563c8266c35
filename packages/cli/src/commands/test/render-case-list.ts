import { visibleLine, type ListedCase } from "@kindlm/core";

/** The cases of a run: their ids, one per line, or everything about them as JSON. */
export function renderCaseList(
  cases: readonly ListedCase[],
  { json, redact }: { json: boolean; redact(text: string): string },
): string {
  if (json) return `${redact(JSON.stringify(cases, null, 2))}\n`;
  return cases
    .map(({ id, skip }) => `${visibleLine(redact(skip === null ? id : `${id} (skipped: ${skip})`))}\n`)
    .join("");
}
