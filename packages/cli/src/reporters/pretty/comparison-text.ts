import type { RunComparison } from "@kindlm/core";
import type { ReportOptions } from "../report-options.js";
import { renderComparison } from "./comparison.js";
import { createPrettyView } from "./pretty-view.js";

/** How a run stands against its baselines, as the report for people shows it. */
export function renderComparisonText(comparison: RunComparison, options: ReportOptions): string {
  return [...renderComparison(comparison, createPrettyView(options))].join("").trimStart();
}
