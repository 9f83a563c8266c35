import { assertionShape } from "../assertions/assertion-result.js";
import { errorShape } from "../errors/error-shape.js";
import { described, list, nullable } from "../shape/compound.js";
import { internal, timing } from "../shape/field.js";
import { record } from "../shape/record.js";
import { count, literal, number, oneOf, ordinal, text, usd, word } from "../shape/scalars.js";
import type { Shape, Static } from "../shape/shape.js";
import { faultReportShape } from "../tools/faults/fault-report.js";
import { messagesShape } from "../transcript/message.js";
import { simulatedUserShape } from "../transcript/simulated-user.js";
import { toolCallShape } from "../transcript/trial.js";
import { fallbackShape, turnShape } from "../transcript/turn.js";
import { usageShape } from "../transcript/usage.js";
import type { JsonObject } from "../values/json.js";
import { nudgeShape } from "./after-tool-error/nudge.js";
import { injectionsShape } from "./injection/injection-record.js";
import { judgingShape } from "./judging/judging-record.js";
import { pausedShape } from "./pause/paused-trial.js";
import { gatewayRecordShape } from "../transcript/gateway-record.js";
import { workspaceRecordShape } from "../transcript/workspace-record.js";
import { withOutcome, type WithOutcome } from "./outcome.js";
import { trialTriesShape } from "./retry-until/trial-tries.js";

const fieldsShape = record(
  {
    caseId: internal(text),
    /** From 1 within the case. */
    trial: ordinal,
    status: oneOf(["passed", "failed", "errored"]),
    error: nullable(errorShape),
    /** The final answer, or what there was of it. */
    output: text,
    /** Time spent waiting for the provider. */
    latencyMs: timing,
    durationMs: timing,
    costUsd: nullable(usd),
    usage: usageShape,
    /** HTTP requests, retries included. */
    attempts: count,
    /** Requests whose price is unknown. */
    unpricedRequests: internal(count),
    servedBy: described("The model that answered last, as its provider names it", nullable(text)),
    /** ID of the fallback that answered for the model under test at least once; null if none did. */
    fallback: fallbackShape,
    finishReason: nullable(word),
    turns: list(turnShape),
    toolCalls: list(toolCallShape),
    assertions: list(assertionShape),
  },
  {
    /** When it began, milliseconds since the epoch; absent if the conversation was held elsewhere. */
    startedAt: internal(number),
    messages: described(
      "The conversation: of the shown trial of a failed or errored case, with --verbose of every trial",
      messagesShape,
    ),
    /** An extra trial, run to confirm or to decide a comparison, so not part of the result of its case. */
    fresh: described(
      "A trial that confirms or decides a comparison, so not part of the result of the case",
      literal(true),
    ),
    /** Absent when the case has no `retry_until`. */
    tries: described("How the user turns with retry_until went", trialTriesShape),
    /** What became of each fault; absent when the case has none. */
    faults: described("What became of each fault", list(faultReportShape)),
    /** What became of the hostile text of each fault of kind inject; absent when the case has none. */
    injections: described("What became of each injected text; absent without a fault of kind inject", injectionsShape),
    /** What the simulated user did; absent when the user's messages are all written. Its cost is part of `costUsd`. */
    simulatedUser: described("What the simulated user did; counted apart from the agent", simulatedUserShape),
    /** What asking judges and other models about it took; absent when none was asked. Its cost is part of `costUsd`. */
    judging: described("What judges took; counted apart from the agent", judgingShape),
    /** Messages that asked the agent to continue after a tool error; absent when there was none. */
    nudges: described("Messages with which KindLM asked the agent to continue after a tool error", list(nudgeShape)),
    /** Calls that waited for an approval when it ended; absent if there were none. */
    paused: described("The calls that waited for an approval when the trial ended", pausedShape),
    /** What became of its folder; absent if it had none. */
    workspace: described("What became of the workspace", workspaceRecordShape),
    /** Absent if the agent's own requests did not go through KindLM. */
    gateway: described("What the gateway did to the agent's own requests to its models", gatewayRecordShape),
    /** The conversation was held elsewhere: what its transcript does not contain is zero, empty or null here. */
    recorded: internal(literal(true)),
  },
);

/** A finished trial, transcript included. A union on `status`, so that an errored one has its error. */
export type TrialResult = WithOutcome<Static<typeof fieldsShape>>;

export const trialShape: Shape<TrialResult, JsonObject> = withOutcome(fieldsShape);
