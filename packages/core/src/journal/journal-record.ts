import type { ExactIntegers } from "../values/exact-integers.js";
import type { ScoredSource, TrialResult } from "../engine/run-result.js";
import type { ProjectPlace } from "../config/locate-root.js";
import type { RunTestsOptions, TestFilters } from "../plan/run-options.js";
import type { ToolEvent } from "../transcript/tool-event.js";

/** The version of the journal's lines. A journal of another version is not read. */
export const journalVersion = 1;

/** The first line: what the run is. */
export interface JournalHeader {
  kind: "run";
  version: number;
  /** KindLM's version. */
  kindlm: string;
  runId: string;
  /** ISO 8601. */
  startedAt: string;
  seed: number;
  project: string | null;
  /** The config files, as the user typed them; none for a config object. */
  files: readonly string[];
  options: StoredOptions;
  /** Where its conversations come from; absent when they are its own. */
  scored?: ScoredSource;
}

/** The options of a run; its paths are relative to the folder that contains `.kindlm`. */
export type StoredOptions = Omit<RunTestsOptions, keyof ProjectPlace | "resume" | "rerunFailed" | "ci"> & {
  /** Empty for the default, and for a config object. */
  paths: readonly string[];
};

/** The run goes on after it was ended. */
export interface SessionRecord {
  kind: "session";
  /** Milliseconds since the epoch, as everywhere in the journal. */
  at: number;
  /** The cases that it was asked for; absent if it was asked for those of the run. */
  filters?: TestFilters;
}

/** A finished trial. Of several of the same trial the last one counts. */
export interface TrialRecord {
  kind: "trial";
  at: number;
  identity: TrialIdentity;
  /** Its conversation is that of the record before, and only its assertions were evaluated again. */
  isRescored?: true;
  trial: TrialResult;
}

/** What a stored trial is compared by; see `CaseIdentity`. */
export interface TrialIdentity {
  agentHash: string;
  setupHash: string;
  scoringHash: string;
}

/** A call of a tool that has effects is about to be made. */
export interface IntentRecord {
  kind: "intent";
  at: number;
  identity: Omit<TrialIdentity, "scoringHash">;
  caseId: string;
  trial: number;
  /** From 1 within the trial: which of the calls of this tool with these arguments it is. */
  occurrence: number;
  tool: string;
  args: unknown;
  /** Of the arguments; absent if a number can hold each of them. */
  exactIntegers?: ExactIntegers;
}

/** What became of the call that the last intent of this trial, tool, arguments and occurrence announced. */
export interface OutcomeRecord {
  kind: "outcome";
  at: number;
  caseId: string;
  trial: number;
  occurrence: number;
  tool: string;
  args: unknown;
  /** Of the arguments; absent if a number can hold each of them. */
  exactIntegers?: ExactIntegers;
  /** As the tool's handler gave it. */
  outcome: unknown;
  /** What the tool emitted during the call; absent if nothing. */
  events?: readonly ToolEvent[];
}

export type JournalRecord = JournalHeader | SessionRecord | TrialRecord | IntentRecord | OutcomeRecord;
