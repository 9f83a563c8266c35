import { plural } from "../values/plural.js";
import { described, list, nullable } from "../shape/compound.js";
import { derived, internal, projected, timing, volatile, volatileAnywhere } from "../shape/field.js";
import { record } from "../shape/record.js";
import { count, integer, literal, oneOf, ms, ordinal, text, usd, word } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { attemptShape, failedAttemptShape, type AttemptRecord } from "./attempt.js";
import { firedFaultShape } from "./fired-fault.js";
import { agentNameShape } from "./message.js";
import { usageShape } from "./usage.js";

/**
 * What a request of an agent is that does not continue its own conversation: one of a sub-agent, one on the side, such as for
 * a title, or the same one again after an error.
 */
export const asides = ["subagent", "side", "retry"] as const;
export type Aside = (typeof asides)[number];

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
    agent: agentNameShape,
    /** The try of its user turn that it belongs to, where the answer was rejected and the conversation rolled back. */
    rejectedTry: rejectedTryShape,
    /** True where a recording answered: its latency says nothing about the provider today, and nothing was paid. */
    replayed: volatile(described("A recording answered", literal(true))),
    /** Of the program that gave the answer and ended with it. */
    exitCode: internal(integer),
    /** What that program wrote to stdout. */
    stdout: internal(text),
    /** The fault that the request met. */
    fault: described("The fault that the request met", firedFaultShape),
    /** Absent for a request of the agent's own conversation. */
    aside: described(
      "Why the request does not count as a turn of the agent's own conversation; absent if it is one",
      oneOf(asides),
    ),
  },
);
export type TurnRecord = Static<typeof turnShape>;

/** US dollars that the turn took from the budget of the run; 0 where the cost is unknown. A recording costs nothing again. */
export function spentUsdOf({ replayed, costUsd }: Pick<TurnRecord, "replayed" | "costUsd">): number {
  return replayed === true ? 0 : (costUsd ?? 0);
}

/** How many turns the agent's own conversation has. */
export function countTurns(turns: readonly Pick<TurnRecord, "aside">[]): number {
  let number = 0;
  for (const { aside } of turns) if (aside === undefined) number += 1;
  return number;
}

const asideWords: Readonly<Record<Aside, string>> = {
  subagent: "from sub-agents",
  side: "on the side, such as for a title",
  retry: "again after an error",
};

/** `3 requests do not count as turns: 1 from sub-agents, 2 again after an error`; empty if all of them are turns. */
export function describeAsides(turns: readonly Pick<TurnRecord, "aside">[]): readonly string[] {
  const counts = asides.map((kind) => ({ kind, count: turns.filter(({ aside }) => aside === kind).length }));
  const parts = counts.filter(({ count: of }) => of > 0).map(({ kind, count: of }) => `${of} ${asideWords[kind]}`);
  if (parts.length === 0) return [];
  const all = turns.length - countTurns(turns);
  const what = all === 1 ? "does not count as a turn" : "do not count as turns";
  return [`${plural(all, "request")} to the model ${what}: ${parts.join(", ")}`];
}

/** The last request of the agent's own conversation, if only as the same one again after an error. */
export function lastTurn(turns: readonly TurnRecord[]): TurnRecord | undefined {
  return turns.findLast(({ aside }) => aside === undefined || aside === "retry");
}
