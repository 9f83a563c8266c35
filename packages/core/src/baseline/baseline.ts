import { attackCountsShape } from "../engine/injection/injection-record.js";
import { effortShape } from "../engine/effort.js";
import { agentPartsShape } from "../plan/identity/agent-parts.js";
import { list, mapOf, nullable } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { count, flag, integer, literal, moment, ms, number, text, usd, word } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { caseCountsShape } from "../statistics/case-counts.js";

/**
 * The version of the format. A file of a later version is not read. A test keeps the print of the shapes below next to it,
 * so that they cannot change without it.
 */
export const baselineVersion = 3;

/** The least version that says all of these entries. Earlier versions of KindLM read those that they know, and so does this one. */
export function versionFor(entries: readonly BaselineEntry[]): number {
  if (entries.some(({ effort, runs }) => effort !== undefined || runs !== undefined)) return baselineVersion;
  return entries.some(({ attack }) => attack !== undefined) ? 2 : 1;
}

/** Where a baseline comes from. */
export const baselineHeaderShape = record(
  {
    suite: text,
    /** ISO 8601. */
    setAt: moment,
    /** KindLM's version. */
    kindlm: word,
    /** The run that was saved last. */
    runId: word,
    seed: integer,
    /** Of the project in that run; null outside of git. */
    commit: nullable(word),
  },
  { note: text },
);
export type BaselineHeader = Static<typeof baselineHeaderShape>;

/** The result of a case when it was saved. Masked, as in the file. */
export const baselineEntryShape = record(
  {
    caseId: text,
    ...caseCountsShape.always,
    /** Of another check nothing can be compared. */
    checkHash: word,
    agentHash: word,
    /** Passes that the case needed, and whether it had them. */
    required: count,
    isPassed: flag,
    /** As its provider names it; null where that is not known. */
    servedBy: nullable(text),
    /** The tools that were called in a trial that stands for the others, in their order, with arguments where short. */
    calls: list(text),
    /** Hash of the answer of that trial. */
    outputHash: word,
    /** Mean score of each assertion over the trials, by its number and type. */
    scores: mapOf(number),
    /** Sum over the trials, US dollars; null when a price is unknown. */
    costUsd: nullable(usd),
    /** Mean over the trials. */
    latencyMs: ms,
  },
  {
    /** Absent where it is not known what the agent was made of. */
    agent: agentPartsShape,
    /** Set when the run was without noise. */
    deterministic: literal(true),
    /** How attacks ended; absent without a fault of kind inject. */
    attack: attackCountsShape,
    /** IDs of the runs whose trials these are; absent in what earlier versions of KindLM saved. */
    runs: list(word),
    /** What its trials took; absent in what earlier versions of KindLM saved. */
    effort: effortShape,
    /** The answer itself, for cases that need it. */
    output: text,
  },
);
export type BaselineEntry = Static<typeof baselineEntryShape>;

/** The saved results of one suite. */
export interface Baseline {
  header: BaselineHeader;
  /** By case id. */
  entries: ReadonlyMap<string, BaselineEntry>;
}
