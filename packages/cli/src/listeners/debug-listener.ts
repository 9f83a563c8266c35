import { reportedEvent } from "@kindlm/core/program";
import type { RunEvent } from "@kindlm/core";
import createDebug from "debug";
import { format } from "node:util";
import type { CliEnvironment } from "../environment.js";

/** The trace of `DEBUG=kindlm*`: every event under `kindlm:<channel>/<type>`. Loaded only when asked for. */
export function createDebugListener(environment: CliEnvironment, color: boolean): (event: RunEvent) => void {
  const namespaces = environment.env["DEBUG"] ?? "";
  const loggers = new Map<string, createDebug.Debugger>();
  return (event) => {
    const name = `kindlm:${event.channel}/${event.type}`;
    const logger = loggers.get(name) ?? createDebug(name);
    if (!loggers.has(name)) {
      logger.log = (...parts: unknown[]) => void environment.stderr.write(`${format(...parts)}\n`);
      // The module's types leave this setting out.
      Object.assign(logger, { useColors: color, enabled: isWanted(name, namespaces) });
      loggers.set(name, logger);
    }
    if (!logger.enabled) return;
    const told = JSON.stringify(reportedEvent(event, { redact: (text) => text, verbose: true }));
    // JSON after a name is no longer JSON, so it is masked as such here. A separate format string keeps % in it
    // from being read as one.
    logger("%s", environment.redactor.redactJson(told));
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
