import { describeInterventions } from "../reporters/describe-interventions.js";
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
  const stoodIn = test.fallback === null ? "" : `, fallback ${settings.safe(test.fallback)}`;
  const help = describeInterventions(test).map((text) => `, ${text}`);
  return `${mark} ${id}: ${test.status}${why}${runs}${stoodIn}${help.join("")} in ${renderDuration(test.latencyMs)}`;
}
