import { reportedEvent } from "@kindlm/core/program";
import type { RunEvent } from "@kindlm/core";
import { createTrace, type TraceWorld } from "./create-trace.js";

/** The trace of `DEBUG=kindlm*`: every event under `kindlm:<channel>/<type>`. Loaded only when asked for. */
export function createDebugListener(world: TraceWorld, color: boolean): (event: RunEvent) => void {
  const trace = createTrace(world, color);
  return (event) =>
    trace(`${event.channel}/${event.type}`, () => reportedEvent(event, { redact: (text) => text, verbose: true }));
}
