import type { AsTyped } from "../arguments/as-typed.js";
import type { RenderOptions, RunComparison } from "@kindlm/core";
import type { BaselineEntry } from "@kindlm/core/commands/baselines";
import type { DigestOptions } from "../errors/digest-diagnostics.js";

/** What reporters for people need in addition to what formats need. */
export interface ReportOptions extends RenderOptions {
  /** How many problems of a config are shown. Default: equal ones once, and at most 20. */
  digest?: DigestOptions;
  /** The commit that was tested, if it is not that of the work tree: CI checks out merges. */
  commit?: string;
  /** The branch whose baselines count. Default: those of the work tree. */
  baselineBranch?: string;
  /** The page of the run on a results server, once it is uploaded. */
  page?: string;
  /** A command such as `kindlm show 1`, as it is to be typed for this run. Default: the command itself. */
  command?: (words: string) => string;
  /** Whether transcripts are groups of lines that GitHub folds. */
  groups?: boolean;
  /** Whether the terminal shows ASCII alone. */
  ascii?: boolean;
  /** Default: commands stay as they are. */
  asTyped?: AsTyped;
  /** Reads what the run is compared with, the baselines first. Default: nothing. */
  readEarlier?(): Promise<readonly EarlierResults[]>;
}

/** The baselines of a run, or another run that replaces them. Cases have the IDs of the run, masked. */
export interface EarlierResults {
  by: "baseline" | "run";
  /** Such as `2026-11-20 09:30, commit 0123456`. */
  name: string;
  comparison: RunComparison;
  cases: readonly BaselineEntry[];
  /** Cases without a result, and why. */
  left: readonly { caseId: string; reason: string }[];
}
