import { errorShape } from "../errors/error-shape.js";
import { described, list, nullable } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { oneOf, text, usd } from "../shape/scalars.js";
import { messagesShape } from "./message.js";
import { turnShape } from "./turn.js";
import { usageShape } from "./usage.js";

/** A conversation with a sub-agent, but for its tool calls, which may begin others. */
export const ownDelegationShape = record(
  {
    template: described("ID of its template", text),
    model: described("ID of the model that was asked", text),
    /** `paused`: a call waits for an approval. `failed`: there is no answer. */
    status: oneOf(["ok", "paused", "failed"]),
    turns: list(turnShape),
    usage: usageShape,
    /** Null when the price of a request is unknown. Part of the cost of the trial. */
    costUsd: described("US dollars, part of those of the trial; null if a price is unknown", nullable(usd)),
  },
  {
    messages: messagesShape,
    /** Why it failed. */
    error: errorShape,
  },
);
