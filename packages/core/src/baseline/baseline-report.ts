import type { KindlmError } from "../errors/kindlm-error.js";
import type { RunComparison } from "../summary/comparison-result.js";
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
  /** Relative to the folder that `.kindlm` stands in. */
  file: string;
  added: readonly string[];
  updated: readonly string[];
  /** The same as before; time and cost do not count. */
  unchanged: readonly string[];
  /** Those of before that the run says nothing about. */
  kept: readonly string[];
  /** Of before, and no case of the config any more. */
  pruned: readonly string[];
  /** Cases of the run that were not taken, and why. */
  left: readonly { caseId: string; reason: string }[];
  /** Of those that were taken, the ones that did not pass. */
  failing: readonly string[];
  /** What was wrong with the file of before; null when nothing was. Of its entries the sound ones stay. */
  replaced: KindlmError | null;
}

/** A file of baselines. */
export interface BaselineListing {
  suite: string;
  /** Relative to the folder that `.kindlm` stands in. */
  file: string;
  /** Null where it cannot be read. */
  header: BaselineHeader | null;
  cases: number;
  /** Cases that did not pass when they were blessed. */
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

/** A stored run beside the baselines. */
export interface BaselineComparison {
  /** Id of the run. */
  run: string;
  comparison: RunComparison;
}
