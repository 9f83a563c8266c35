import { diagnosticShape } from "../errors/error-shape.js";
import { described, list, mapOf, nullable, union } from "../shape/compound.js";
import { internal, timing, volatile } from "../shape/field.js";
import { record } from "../shape/record.js";
import { count, flag, integer, literal, moment, oneOf, text, usd, word } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { agentPartsShape } from "../plan/identity/agent-parts.js";
import { shardInfoShape } from "../plan/shard/shard-info.js";
import { runSummaryShape, suiteSummaryShape } from "../summary/case-summary.js";
import { routingTableShape } from "../summary/routing-table.js";
import { armComparisonShape } from "../summary/arm-comparison.js";
import { runComparisonShape } from "../summary/comparison-result.js";
import { gateShape } from "../gates/gate-result.js";
import type { SuiteResult } from "./suite-result.js";
import type { TrialResult } from "./trial-result.js";

export type { RunSummary } from "../summary/case-summary.js";
export type { TestResult } from "./case-result.js";
export type { ConfirmationTrials } from "./extra-trials/extra-trials.js";
export type { SuiteResult } from "./suite-result.js";
export type { TrialResult } from "./trial-result.js";

/** Where the conversations of a run come from that were not held in it. */
export const scoredSourceShape = union("from", {
  /** Files as the user typed them; `-` for a stream. */
  transcripts: record({ from: literal("transcripts"), files: list(text) }),
  /** Id of the run. */
  run: record({ from: literal("run"), run: word }),
});
export type ScoredSource = Static<typeof scoredSourceShape>;

const runInfoShape = record(
  {
    id: volatile(word),
    /** ISO 8601. */
    startedAt: volatile(moment),
    endedAt: volatile(moment),
    durationMs: timing,
    seed: integer,
    interrupted: flag,
    project: nullable(text),
    git: volatile(nullable(record({ commit: word, branch: nullable(word), dirty: flag }))),
  },
  {
    /** Which part of a run this is; absent for a whole one. */
    shard: volatile(described("Which part of a run this is", shardInfoShape)),
    /** True where recordings alone answered: the run is deterministic, and its latencies are those of the recordings. */
    replayed: volatile(described("Recordings alone answered; latencies are those of the recordings", literal(true))),
    /** Set when no model under test was called: the conversations were there before. */
    scored: described(
      "No model under test was asked: the conversations are those of transcripts, or of another run",
      scoredSourceShape,
    ),
    /**
     * Set for a round of `kindlm test --watch`: the trials that it took over, those of which it evaluated the assertions
     * again, and of the others those that recordings answered. `paidUsd` is what it paid.
     */
    carried: volatile(
      described(
        "Trials that a round of watch mode took over from earlier runs or only evaluated again, and what it paid",
        record({ trials: count, evaluated: count, replayed: count, paidUsd: usd }),
      ),
    ),
    /** Set for a merged run. */
    mergedFrom: volatile(described("IDs of the shards that the run was merged from", list(word))),
    /** How often it went on after it had been ended; absent when it never was. */
    resumed: volatile(described("How often the run went on after it had been ended", count)),
  },
);
export type RunInfo = Static<typeof runInfoShape>;

/** All that is known of a run but its suites. */
export const runFields = {
  always: {
    /** KindLM's version. */
    kindlm: described("Version of KindLM", word),
    verdict: oneOf(["passed", "failed"]),
    exitCode: oneOf([0, 1]),
    /** Why the verdict is `failed`, one sentence each; empty when it passed. */
    reasons: described("Why the verdict is failed", list(text)),
    run: runInfoShape,
    summary: runSummaryShape,
    gates: list(gateShape),
    /** The counts, rates and sums of each suite, in the order of `suites`. */
    suiteSummaries: internal(list(suiteSummaryShape)),
    warnings: list(diagnosticShape),
  },
  sometimes: {
    /** How it stands against the baselines of its suites; absent when none of them has one, or comparison is switched off. */
    comparison: described(
      "How the run stands against the baselines of its suites; absent when none has one",
      runComparisonShape,
    ),
    /** The arms of its suites; absent if none has arms. */
    arms: described("The arms of each suite that has any, and their differences", list(armComparisonShape)),
    /** The confusion table of each suite with a `routes_to`; absent if there is none. */
    routing: described("The tools that requests led to, for each suite with routes_to", list(routingTableShape)),
    /** What each agent was made of, by its `agentHash`. */
    agents: internal(mapOf(agentPartsShape)),
  },
};

export interface RunSelection {
  /** Cases in `suites`. */
  shown: number;
  /** Cases of the run. */
  of: number;
}

const runShape = record(runFields.always, runFields.sometimes);

/** Everything a run found out. Compact: transcripts come through `trials`. */
export interface RunResult extends Static<typeof runShape> {
  suites: readonly SuiteResult[];
  /** Set if `suites` has only the cases that somebody asked for. Everything else is about the whole run. */
  selection?: RunSelection;
  /** The finished trials of a case in their order, or of the whole run in the order of its cases. */
  trials(caseId?: string): AsyncIterable<TrialResult>;
}
