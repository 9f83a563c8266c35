import { renderExecution } from "../reporters/render-execution.js";
import { renderDuration } from "@kindlm/core/program";
import type { TestResult } from "@kindlm/core";
import { createColors } from "../terminal/colors.js";

/** One finished case on one line. */
export function renderCaseLine(test: TestResult, settings: { color: boolean; safe(text: string): string }): string {
  const colors = createColors(settings.color);
  const id = settings.safe(test.id);
  if (test.status === "skipped") return `${colors.yellow("-")} ${id}: skipped (${settings.safe(test.reason)})`;
  const mark = test.status === "passed" ? colors.green("✓") : colors.red("✗");
  const runs = test.runs > 1 ? `, ${test.passes} of ${test.runs} runs passed` : "";
  const why = test.status === "errored" ? ` (${test.error.code})` : "";
  const { fallback, help } = renderExecution(test);
  const answeredBy = fallback === null ? "" : `, fallback ${settings.safe(fallback)}`;
  const helped = help.map((text) => `, ${text}`).join("");
  return `${mark} ${id}: ${test.status}${why}${runs}${answeredBy}${helped} in ${renderDuration(test.latencyMs)}`;
}
