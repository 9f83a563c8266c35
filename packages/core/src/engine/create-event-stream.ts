import { attemptSync } from "../errors/boundary.js";
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
  const active = new Set(listeners);
  let seq = 0;
  const emit: EmitEvent = (body, happenedAt) => {
    if (active.size === 0) return;
    seq += 1;
    const event = Object.assign(body, { seq, time: happenedAt ?? clock.now() });
    for (const listener of active) {
      const heard = attemptSync(
        () => listener(event),
        (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
      );
      if (heard.success) continue;
      active.delete(listener);
      const { error } = heard;
      const message = `A listener of the event stream failed and was removed: ${error.message}`;
      emit({ channel: "monitor", type: "error", severity: "warn", phase: "system", message, error });
    }
  };
  return emit;
}
