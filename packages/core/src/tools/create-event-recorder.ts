import type { ToolEvent } from "../transcript/tool-event.js";
import { toJsonValue } from "../values/to-json.js";
import type { HandlerContext } from "./tool-handler.js";

/** The most events kept of one call; a tool in a loop must not fill the memory. */
const maxEvents = 1_000;

/** Keeps the events of one call until it ends; a tool that was left behind can no longer add any. */
export function createEventRecorder(): { emit: HandlerContext["emit"]; end(): readonly ToolEvent[] } {
  const events: ToolEvent[] = [];
  let ended = false;
  return {
    emit(name, data) {
      if (ended || events.length >= maxEvents) return;
      events.push({ name, data: toJsonValue(data) });
    },
    end() {
      ended = true;
      return events;
    },
  };
}
