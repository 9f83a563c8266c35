import type { KindlmError } from "../errors/kindlm-error.js";
import type { RunComparison } from "../summary/comparison-result.js";
import type { RunInfo } from "../engine/run-result.js";
import type { BaselineEntry, BaselineHeader } from "./baseline.js";

/** What became of the baselines of a run's suites. */
export interface SetBaselines {
  /** Id of the run. */
  run: string;
  suites: readonly SetBaseline[];
  /** Of their files, those that git leaves out of commits, so that nobody else would have them. */
  ignored: readonly string[];
}

/** What became of one baseline. Cases are named by their ids. */
export interface SetBaseline {
  suite: string;
  /** Relative to the folder that contains `.kindlm`. */
  file: string;
  added: readonly string[];
  updated: readonly string[];
  /** The same as before; time and cost do not count. */
  unchanged: readonly string[];
  /** Earlier entries that the run says nothing about. */
  kept: readonly string[];
  /** Earlier entries whose case is no longer in the config. */
  pruned: readonly string[];
  /** Cases of the run that were not taken, and why. */
  left: readonly { caseId: string; reason: string }[];
  /** Of those that were taken, the ones that did not pass. */
  failing: readonly string[];
  /** The error of the previous file; null if it had none. Its intact entries stay. */
  replaced: KindlmError | null;
}

/** A file of baselines. */
export interface BaselineListing {
  suite: string;
  /** Relative to the folder that contains `.kindlm`. */
  file: string;
  /** Null where it cannot be read. */
  header: BaselineHeader | null;
  cases: number;
  /** Cases that did not pass when they were saved. */
  failing: number;
  /** Why it cannot be used; null when it can. */
  problem: KindlmError | null;
}

/** A baseline with its cases, in the order of their ids. */
export interface ShownBaseline {
  file: string;
  header: BaselineHeader;
  cases: readonly BaselineEntry[];
}

/** A stored run, compared with the baselines. */
export interface BaselineComparison {
  /** Id of the run. */
  run: string;
  comparison: RunComparison;
}

/** A stored run, compared with an earlier one. Cases have the IDs of the later run. */
export interface RunsComparison extends BaselineComparison {
  earlier: Pick<RunInfo, "id" | "startedAt"> & { commit: string | null };
  /** The results of the earlier run, as a baseline has them. */
  cases: readonly BaselineEntry[];
  /** Cases of the earlier run that say nothing, and why. */
  left: readonly { caseId: string; reason: string }[];
}
