import { failureOf } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { Clock } from "../values/clock.js";
import type { RunEvent, RunEventBody } from "./run-event.js";

export type RunEventListener = (event: RunEvent) => void;

/** `happenedAt`: milliseconds since the epoch, of what is reported later than it happened; now if left out. */
export type EmitEvent = (event: RunEventBody, happenedAt?: number) => void;

/**
 * Stamps events and hands them to the listeners in order. A listener that throws is dropped, and the others are notified
 * as an `error` event; it changes nothing else.
 */
export function createEventStream(listeners: readonly RunEventListener[], clock: Clock): EmitEvent {
  let active = listeners;
  let seq = 0;
  const emit: EmitEvent = (body, happenedAt) => {
    if (active.length === 0) return;
    seq += 1;
    const event = stamp(body, seq, happenedAt ?? clock.now());
    for (const listener of active) {
      const thrown = failureOf(listener, event);
      if (thrown === null) continue;
      active = active.filter((one) => one !== listener);
      const { cause } = thrown;
      const error = kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause });
      const message = `A listener of the event stream failed and was removed: ${error.message}`;
      emit({ channel: "monitor", type: "error", severity: "warn", phase: "system", message, error });
    }
  };
  return emit;
}

/** The event was made to be sent, so that it takes its number itself: a trial has a dozen of them. */
function stamp(body: RunEventBody & Partial<Pick<RunEvent, "seq" | "time">>, seq: number, time: number): RunEvent {
  body.seq = seq;
  body.time = time;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has now what it lacked
  return body as RunEvent;
}
