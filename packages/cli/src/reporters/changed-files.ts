import type { TrialResult } from "@kindlm/core";
import { maskFor, withCounts } from "@kindlm/core/program";
import { describeWorkspace } from "../file-changes/describe-changes.js";
import { cut } from "./markdown-parts.js";
import type { ReportOptions } from "./report-options.js";
import { htmlCode } from "./untrusted.js";

const mostFiles = 8;
const mostRefused = 3;
const longestPath = 120;

/** What the agent did to its files, on one line of Markdown; empty if that is nothing. */
export function renderChangedFiles(trial: TrialResult | null, { redact }: ReportOptions): string {
  const described = trial === null ? null : describeWorkspace(trial);
  if (trial === null || described === null) return "";
  const mask = maskFor(trial.assertions, redact);
  const code = (text: string): string => htmlCode(cut(mask(text), longestPath));
  const files = described.changes.map(({ path, change, size }) =>
    [code(path), ...(change === "changed" ? [] : [change]), size].join(" "),
  );
  const refused = described.refused.slice(0, mostRefused).map(code);
  const parts = [...listed(files), ...refused, ...(described.lack === null ? [] : [described.lack])];
  return parts.length === 0 ? "" : `\nFiles: ${parts.join(", ")}\n`;
}

function listed(items: readonly string[]): readonly string[] {
  const more = items.length - mostFiles;
  return [...items.slice(0, mostFiles), ...(more > 0 ? [withCounts`and ${more} more`] : [])];
}
