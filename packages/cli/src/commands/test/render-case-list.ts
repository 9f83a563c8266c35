import { visibleLine, type ListedCase } from "@kindlm/core";

/** The cases of a run: their ids, one per line, or everything about them as JSON. */
export function renderCaseList(cases: readonly ListedCase[], { json }: { json: boolean }): string {
  if (json) return `${JSON.stringify(cases, null, 2)}\n`;
  return cases.map(({ id, skip }) => `${visibleLine(skip === null ? id : `${id} (skipped: ${skip})`)}\n`).join("");
}
