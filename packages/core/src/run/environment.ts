import type { RunEventListener } from "../engine/create-event-stream.js";
import type { ModuleWorld } from "../modules/user-modules.js";
import type { HttpTransport } from "../providers/http/transport.js";
import type { ProcessRunner } from "../processes/process-runner.js";
import type { Clock } from "../values/clock.js";
import type { ConfigEnvironment } from "../config/config-environment.js";

/** What a caller can hand in, for one call or for all. Each part defaults to the real thing. */
export interface Environment extends Partial<ConfigEnvironment> {
  /** Called for each event of a run, in order. */
  onEvent?: RunEventListener;
  /** Aborts when the user interrupts. */
  signal?: AbortSignal;
  clock?: Clock;
  http?: HttpTransport;
  processes?: ProcessRunner;
  /** Takes what is to be done, at once, when the calling process ends in the middle of a run. */
  atExit?(callback: () => void): void;
  /** Where `console` of the user's modules prints. Default: stdout. */
  moduleConsole?: "stdout" | "stderr";
  /** Receives an uncaught error of a user's module; `what` names the module. No verdict depends on it. */
  onStrayError?(cause: unknown, what: string): void;
  /**
   * Told that a module of the user's cannot be ended, because it waits inside the system, such as for a program or a
   * pipe. `process.exit` would wait for it.
   */
  onStuckModule?(): void;
}

/** What of the environment the user's modules need. */
export function moduleWorldOf({ moduleConsole, onStrayError, onStuckModule }: Partial<Environment>): ModuleWorld {
  return {
    ...(moduleConsole === undefined ? {} : { console: moduleConsole }),
    ...(onStrayError === undefined ? {} : { onStray: onStrayError }),
    ...(onStuckModule === undefined ? {} : { onStuck: onStuckModule }),
  };
}
