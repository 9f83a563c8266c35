import { assertionShape } from "../assertions/assertion-result.js";
import { errorShape } from "../errors/error-shape.js";
import { positionShape } from "../errors/source-position.js";
import { described, list, named, nullable, said, union } from "../shape/compound.js";
import { derived, internal, supplied, timing } from "../shape/field.js";
import { wilsonInterval } from "../shape/interval.js";
import { record } from "../shape/record.js";
import { count, flag, literal, oneOf, text, usd, word } from "../shape/scalars.js";
import type { AnyShape, Shape, Static } from "../shape/shape.js";
import { routeShape } from "../summary/routing-table.js";
import { fallbackShape } from "../transcript/turn.js";
import type { JsonObject } from "../values/json.js";
import { confirmationTrialsShape, furtherTrialsShape } from "./extra-trials/extra-trials.js";
import { effortShape } from "./effort.js";
import { attackShape } from "./injection/injection-record.js";
import { withOutcome, type WithOutcome } from "./outcome.js";
import { trialShape } from "./trial-result.js";

const identity = {
  always: {
    /** `suite/test[row]@model#prompt+fault~arm` */
    id: described("suite/test[row]@model#prompt+fault~arm", text),
    suite: internal(text),
    name: text,
    model: text,
    row: nullable(text),
    prompt: nullable(text),
    /** The fault that has this case for itself; null in the clean case, and where faults share one. */
    fault: described("The fault that has this case for itself; null in any other case", nullable(text)),
    tags: list(text),
    critical: flag,
    /** The reason why its failure does not count; null when it does. */
    allowFailure: nullable(text),
    position: nullable(positionShape),
  },
  sometimes: {
    /** The cluster that the config puts it in; absent for the cluster of its test and row. */
    group: internal(text),
    /** Absent if its suite has no arms. */
    arm: described("The arm, where the suite has arms", text),
  },
};

const ranFieldsShape = record(
  {
    ...identity.always,
    status: oneOf(["passed", "failed", "errored"]),
    /** Some trials passed and some did not. */
    mixed: flag,
    passes: count,
    required: count,
    /** Trials asked for. */
    runs: count,
    /** Trials that count: not errored from outside. */
    counted: count,
    /** Wilson 95% interval of passes ÷ counted; null when none counts. */
    interval: wilsonInterval,
    error: said(nullable(errorShape)),
    /** Mean over the trials. */
    latencyMs: described("Mean time spent waiting for the provider", timing),
    /** Sum over the trials; null when a price is unknown. */
    costUsd: nullable(usd),
    /** Number of the trial that shows best why: the first failed, else the first errored, else the last; 0 for none. */
    decisiveTrial: count,
    /** ID of a fallback that answered for the model under test in any trial; null if none did. */
    fallback: fallbackShape,
    /** What the agent is, see `CaseIdentity`. */
    agentHash: internal(word),
    /** What it was put through and judged by: only results of one check can be compared. */
    checkHash: internal(word),
    assertions: supplied(described("Of the decisive trial", list(assertionShape))),
    trials: supplied(list(named("trial", trialShape))),
  },
  {
    ...identity.sometimes,
    /**
     * Set where `early_end` might leave out trials: true when it did. Which trials there are then depends on how they
     * ended, so that the case has no unbiased rate either way.
     */
    endedEarly: described("Set where early_end might leave out trials, which biases the rate; true when it did", flag),
    /** Trials that ran; set where `endedEarly` is. */
    trialsRun: described("Trials that ran; set where endedEarly is", count),
    /** Trials that passed without a rejected answer; absent when the case has no `retry_until`. */
    firstTryPasses: described("Trials that passed without a rejected answer, with retry_until", count),
    /** The results of the confirmation trials of `--confirm`, for a case that seemed worse than its baseline. */
    fresh: described(
      "The results of the confirmation trials of --confirm; they are numbered on from runs",
      confirmationTrialsShape,
    ),
    /** The trials beyond `runs` of a case that may have more of them. */
    further: described(
      "The results of the trials that ran to decide the comparison with the baseline; they are numbered on from runs",
      furtherTrialsShape,
    ),
    /** Over all trials; absent when no agent was nudged. */
    nudges: described("Nudges after tool errors, over all trials", record({ count, trials: count })),
    /** Absent when the case has no fault of kind inject. */
    attack: described(
      "The outcome of the attacks, over the trials; absent without a fault of kind inject",
      attackShape,
    ),
    /** Over all trials; absent without a `routes_to`. */
    routes: described("Trials by the tool that routes_to expected and the tool that was called", list(routeShape)),
    /** Tool calls that a fallback answered, over all trials; absent when there was none. */
    toolFallbacks: described("Tool calls that a fallback answered, over all trials", count),
    /** What the trials that count took; absent without any. */
    effort: internal(effortShape),
    /** The model that answered, as its provider names it; several with commas. Null where none is known. */
    servedBy: internal(nullable(text)),
    /** The programs that asked the models, with their versions; several with commas. Absent where none is known. */
    programs: internal(text),
    /** Of a failed case, in the order of the results of each trial; absent if the config is an object. */
    assertionPositions: described("Where the config has the assertions of a failed case", list(positionShape)),
    /** Set where the same agent does the same again, so that no chance is in the result. */
    deterministic: internal(literal(true)),
  },
);

const nothing: AnyShape = { ...literal("null"), schema: () => ({ type: "null" }) };
const noTrials: AnyShape = { ...literal("none"), schema: () => ({ type: "array", maxItems: 0 }) };

const skippedShape = record(
  {
    ...identity.always,
    status: literal("skipped"),
    reason: text,
    error: derived(nothing, () => null),
    trials: supplied(noTrials),
  },
  identity.sometimes,
);

const ranCaseShape = withOutcome(ranFieldsShape);
type RanCase = WithOutcome<Static<typeof ranFieldsShape>>;

/**
 * The verdict of one case. Compact: the conversation and the findings are in its trials. A union on `status`: no errored one
 * without its error, no skipped one without a reason.
 */
export type TestResult = RanCase | Static<typeof skippedShape>;

export const caseShape: Shape<TestResult, JsonObject> = union(
  "status",
  { skipped: named("skippedTest", skippedShape) },
  named("ranTest", ranCaseShape),
);

/** What the published schema says of cases and their trials. */
export const caseDefinitions = {
  ranTest: ranFieldsShape.schema,
  skippedTest: skippedShape.schema,
  trial: trialShape.schema,
};
