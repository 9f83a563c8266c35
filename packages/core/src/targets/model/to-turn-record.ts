import { costUsd } from "../../providers/pricing/pricing.js";
import type { ProviderResponse } from "../../providers/provider.js";
import type { RoutedCall } from "../../resilience/call-route.js";
import type { ModelRoute } from "../../resilience/model-route.js";
import type { TurnRecord } from "../../transcript/turn.js";

type AnyAnswer = Pick<ProviderResponse, "usage" | "modelServed"> & Partial<ProviderResponse>;

/** What is kept of one request to the model. */
export function toTurnRecord(
  turn: number,
  userTurn: number,
  call: RoutedCall<AnyAnswer>,
  route: ModelRoute,
): TurnRecord {
  const { pricing, endpoint } = route[call.position] ?? route[0];
  const response = call.result.success ? call.result.data : null;
  const usage = response?.usage ?? null;
  const record: TurnRecord = {
    turn,
    userTurn,
    latencyMs: call.attempts.reduce((sum, attempt) => sum + attempt.latencyMs, 0),
    usage,
    // A turn that got no answer has no usage to pay for; an answer without usage or price has an unknown cost.
    costUsd: response === null ? 0 : usage === null || pricing === null ? null : costUsd(usage, pricing),
    finishReason: response?.finishReason?.unified ?? null,
    servedBy: response?.modelServed ?? null,
    fallback: response === null || call.position === 0 ? null : endpoint.model,
    timeToFirstTokenMs: response?.timeToFirstTokenMs ?? null,
    attempts: call.attempts,
  };
  if (call.attempts.at(-1)?.replayed === true) record.replayed = true;
  return record;
}
