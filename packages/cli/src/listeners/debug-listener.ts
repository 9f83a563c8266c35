import { reportedEvent } from "@kindlm/core/program";
import type { Redactor, RunEvent } from "@kindlm/core";
import createDebug from "debug";
import { format } from "node:util";
import type { OutputStream } from "../sinks/output-stream.js";

/** The trace of `DEBUG=kindlm*`: every event under `kindlm:<channel>/<type>`. Loaded only when asked for. */
export function createDebugListener(world: TraceWorld, color: boolean): (event: RunEvent) => void {
  const trace = createTrace(world, color);
  return (event) =>
    trace(`${event.channel}/${event.type}`, () => reportedEvent(event, { redact: (text) => text, verbose: true }));
}

interface TraceWorld {
  env: Readonly<Record<string, string | undefined>>;
  stderr: OutputStream;
  redactor: Redactor;
}

/** Prints what `tell` gives under a name that `DEBUG` asks for. */
export function createTrace(world: TraceWorld, color: boolean): (what: string, tell: () => unknown) => void {
  const namespaces = world.env["DEBUG"] ?? "";
  const loggers = new Map<string, createDebug.Debugger>();
  return (what, tell) => {
    const name = `kindlm:${what}`;
    const logger = loggers.get(name) ?? createDebug(name);
    if (!loggers.has(name)) {
      logger.log = (...parts: unknown[]) => void world.stderr.write(`${format(...parts)}\n`);
      // The module's types leave this setting out.
      Object.assign(logger, { useColors: color, enabled: isWanted(name, namespaces) });
      loggers.set(name, logger);
    }
    if (!logger.enabled) return;
    const told = JSON.stringify(tell());
    // JSON after a name is no longer JSON, so it is masked as such here. A separate format string keeps % in it
    // from being read as one.
    logger("%s", world.redactor.redactJson(told));
  };
}

/** What is switched on for the process stays as it was: other libraries trace by the same switch. */
function isWanted(name: string, namespaces: string): boolean {
  const before = createDebug.disable();
  createDebug.enable(namespaces);
  const wanted = createDebug.enabled(name);
  createDebug.enable(before);
  return wanted;
}
