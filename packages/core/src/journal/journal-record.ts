import { scoredSourceShape } from "../engine/run-result.js";
import { trialShape } from "../engine/trial-result.js";
import { filtersShape, storedOptionsShape } from "../plan/run-options.js";
import { list, nullable, union } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { anything, count, integer, literal, moment, number, text, word } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { exactIntegersShape } from "../transcript/exact-integers-shape.js";
import { toolEventShape } from "../transcript/tool-event.js";

/**
 * The version of the journal's lines. A journal of another version is not read. A test keeps the print of the shapes below
 * next to it, so that they cannot change without it.
 */
export const journalVersion = 10;

/** The options of a run; its paths are relative to the folder that contains `.kindlm`. */
export type { StoredOptions } from "../plan/run-options.js";

/** The first line: what the run is. */
const headerShape = record(
  {
    kind: literal("run"),
    version: integer,
    /** KindLM's version. */
    kindlm: word,
    runId: word,
    /** ISO 8601. */
    startedAt: moment,
    seed: integer,
    project: nullable(text),
    /** The config files, as the user typed them; none for a config object. */
    files: list(text),
    options: storedOptionsShape,
  },
  {
    /** Where its conversations come from; absent when they are its own. */
    scored: scoredSourceShape,
  },
);
export type JournalHeader = Static<typeof headerShape>;

/** The run goes on after it was ended. */
const sessionShape = record(
  {
    kind: literal("session"),
    /** Milliseconds since the epoch, as everywhere in the journal. */
    at: number,
  },
  {
    /** The cases that it was asked for; absent if it was asked for those of the run. */
    filters: filtersShape,
  },
);
export type SessionRecord = Static<typeof sessionShape>;

/** What a stored trial is compared by; see `CaseIdentity`. */
const identityShape = record(
  { agentHash: word, setupHash: word, scoringHash: word },
  {
    /** Of the code that `watch` of the config selects; absent if it selects none, or no program takes part. */
    codeHash: word,
  },
);
export type TrialIdentity = Static<typeof identityShape>;

/** A finished trial. Of several of the same trial the last one counts. */
const trialRecordShape = record(
  { kind: literal("trial"), at: number, identity: identityShape, trial: trialShape },
  {
    /** Its conversation is that of the record before, and only its assertions were evaluated again. */
    isRescored: literal(true),
  },
);
export type TrialRecord = Static<typeof trialRecordShape>;

const { agentHash, setupHash } = identityShape.always;

/** Which call of a tool with effects it is. */
const call = {
  always: {
    caseId: text,
    trial: count,
    /** From 1 within the trial: which of the calls of this tool with these arguments it is. */
    occurrence: count,
    tool: text,
    args: anything,
  },
  sometimes: {
    /** Of the arguments; absent if a number can hold each of them. */
    exactIntegers: exactIntegersShape,
  },
};

/** A call of a tool that has effects is about to be made. */
const intentShape = record(
  { kind: literal("intent"), at: number, identity: record({ agentHash, setupHash }), ...call.always },
  call.sometimes,
);
export type IntentRecord = Static<typeof intentShape>;

/** What became of the call that the last intent of this trial, tool, arguments and occurrence announced. */
const outcomeShape = record(
  {
    kind: literal("outcome"),
    at: number,
    ...call.always,
    /** As the tool's handler gave it. */
    outcome: anything,
  },
  {
    ...call.sometimes,
    /** What the tool emitted during the call; absent if nothing. */
    events: list(toolEventShape),
  },
);
export type OutcomeRecord = Static<typeof outcomeShape>;

export const journalRecordShape = union("kind", {
  run: headerShape,
  session: sessionShape,
  trial: trialRecordShape,
  intent: intentShape,
  outcome: outcomeShape,
});
export type JournalRecord = Static<typeof journalRecordShape>;
