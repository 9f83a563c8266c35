import type { ToolEvent } from "../transcript/tool-event.js";
import type { Clock } from "../values/clock.js";
import { toJsonValue } from "../values/to-json.js";
import type { HandlerContext } from "./tool-handler.js";

/** The most events kept of one call; a tool in a loop must not fill the memory. */
const maxEvents = 1_000;

/** Keeps the events of one call until it ends; a tool that was left behind can no longer add any. */
export function createEventRecorder(clock: Pick<Clock, "now">): {
  emit: HandlerContext["emit"];
  end(): readonly ToolEvent[];
} {
  const events: ToolEvent[] = [];
  let ended = false;
  return {
    emit(name, data, at = clock.now()) {
      if (ended || events.length >= maxEvents) return;
      events.push({ name, data: toJsonValue(data), at });
    },
    end() {
      ended = true;
      return events;
    },
  };
}
