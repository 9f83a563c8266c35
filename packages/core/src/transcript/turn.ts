import { described, list, nullable } from "../shape/compound.js";
import { derived, internal, projected, timing, volatile, volatileAnywhere } from "../shape/field.js";
import { record } from "../shape/record.js";
import { count, integer, literal, ms, ordinal, text, usd, word } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { attemptShape, failedAttemptShape, type AttemptRecord } from "./attempt.js";
import { usageShape } from "./usage.js";

interface Attempted {
  attempts: readonly AttemptRecord[];
}

export const fallbackShape = described(
  "Model that answered in place of the one under test; null when none did",
  nullable(text),
);

export const rejectedTryShape = described(
  "The rejected try that it belongs to; absent for what remains in the conversation",
  count,
);

/** One request to the model and its reply. */
export const turnShape = record(
  {
    /** From 1 within the trial. */
    turn: ordinal,
    userTurn: internal(count),
    latencyMs: timing,
    /** Null when the answer was not streamed. */
    timeToFirstTokenMs: volatileAnywhere(described("Null when the answer was not streamed", nullable(ms))),
    usage: internal(nullable(usageShape)),
    costUsd: nullable(usd),
    finishReason: internal(nullable(word)),
    /** The model that answered, as its provider names it. */
    servedBy: nullable(text),
    /** Id of the model that answered in place of the one that was asked; null when that one did. */
    fallback: fallbackShape,
    attempts: projected(list(attemptShape), count, ({ attempts }: Attempted) => attempts.length),
    failedAttempts: derived(list(failedAttemptShape), ({ attempts }: Attempted, view) =>
      attempts.filter(({ error }) => error !== null).map((one) => failedAttemptShape.report(one, view)),
    ),
  },
  {
    /** The try of its user turn that it belongs to, where the answer was rejected and the conversation rolled back. */
    rejectedTry: rejectedTryShape,
    /** True where a recording answered: its latency says nothing about the provider today, and nothing was paid. */
    replayed: volatile(described("A recording answered", literal(true))),
    /** Of the program that gave the answer and ended with it. */
    exitCode: internal(integer),
    /** What that program wrote to stdout. */
    stdout: internal(text),
  },
);
export type TurnRecord = Static<typeof turnShape>;

/** US dollars that the turn took from the budget of the run; 0 where the cost is unknown. A recording costs nothing again. */
export function spentUsdOf({ replayed, costUsd }: Pick<TurnRecord, "replayed" | "costUsd">): number {
  return replayed === true ? 0 : (costUsd ?? 0);
}
