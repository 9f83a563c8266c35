import type { AgentParts } from "../plan/identity/agent-parts.js";
import type { CaseCounts } from "../statistics/case-counts.js";

/** The version of the format. A file of another version is not read. */
export const baselineVersion = 1;

/** Where a baseline comes from. */
export interface BaselineHeader {
  suite: string;
  /** ISO 8601. */
  setAt: string;
  /** KindLM's version. */
  kindlm: string;
  /** The run that was saved last. */
  runId: string;
  seed: number;
  /** Of the project in that run; null outside of git. */
  commit: string | null;
  note?: string;
}

/** The result of a case when it was saved. Masked, as in the file. */
export interface BaselineEntry extends CaseCounts {
  caseId: string;
  /** Of another check nothing can be compared. */
  checkHash: string;
  agentHash: string;
  /** Absent where it is not known what the agent was made of. */
  agent?: AgentParts;
  /** Passes that the case needed, and whether it had them. */
  required: number;
  isPassed: boolean;
  /** Set when the run was without noise. */
  deterministic?: true;
  /** As its provider names it; null where that is not known. */
  servedBy: string | null;
  /** The tools that were called in a trial that stands for the others, in their order, with arguments where short. */
  calls: readonly string[];
  /** Hash of the answer of that trial. */
  outputHash: string;
  /** The answer itself, for cases that need it. */
  output?: string;
  /** Mean score of each assertion over the trials, by its number and type. */
  scores: Readonly<Record<string, number>>;
  /** Sum over the trials, US dollars; null when a price is unknown. */
  costUsd: number | null;
  /** Mean over the trials. */
  latencyMs: number;
}

/** The saved results of one suite. */
export interface Baseline {
  header: BaselineHeader;
  /** By case id. */
  entries: ReadonlyMap<string, BaselineEntry>;
}
