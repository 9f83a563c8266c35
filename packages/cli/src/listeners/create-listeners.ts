import { failureOf, messageOf, reportedEvent, visibleLine } from "@kindlm/core/program";
import type { RunEvent } from "@kindlm/core";
import type { CliEnvironment } from "../environment.js";
import type { ErrorExplanation } from "../errors/error-messages.js";
import type { LogLines } from "./log-lines.js";
import type { LineFile } from "../sinks/line-file.js";

interface Wanted {
  environment: CliEnvironment;
  /** Absolute path, `-` for stdout, or undefined for none. */
  events: string | undefined;
  log: LogLines | null;
  verbose: boolean;
  color: boolean;
  /** What renders reports ahead; null if none can be. */
  ahead?: ((event: RunEvent) => void) | null;
}

interface Listener {
  name: string;
  readonly listen: (event: RunEvent) => void;
}

interface Listeners {
  onEvent(event: RunEvent): void;
  /** Ends them all; resolves, when everything is written, with what went wrong on the way. */
  stop(): Promise<readonly ErrorExplanation[]>;
}

/** Everything that follows a run while it goes on: progress, log lines, the event file, debug output. */
export async function createListeners(wanted: Wanted): Promise<Listeners> {
  const { environment, log, verbose } = wanted;
  const problems: ErrorExplanation[] = [];
  const progress =
    log === null ? (await import("../progress/open-progress.js")).openProgress(environment, wanted) : null;
  let listeners: readonly Listener[] = [
    {
      name: "size",
      listen: (event) => {
        if (event.type !== "run:start") return;
        environment.expectTrials(event.trials);
        // A run has very many events, and only one of these.
        listeners = listeners.filter(({ name }) => name !== "size");
      },
    },
  ];
  const add = (listener: Listener): void => {
    listeners = [...listeners, listener];
  };
  if (wanted.ahead) add({ name: "report", listen: wanted.ahead });
  if (progress !== null) add({ name: "progress", listen: progress.onEvent });
  if (log !== null) {
    add({
      name: "log",
      listen: (event) => {
        const line = log.event(event);
        if (line !== undefined) void environment.stderr.write(line, "json");
      },
    });
  }
  const file = wanted.events === undefined ? null : openEvents(wanted.events, environment);
  if (file !== null) {
    const listen = (event: RunEvent): void =>
      file.write(JSON.stringify(reportedEvent(event, { redact: (text) => text, verbose })));
    add({ name: "events", listen });
  }
  if ((environment.env["DEBUG"] ?? "") !== "") {
    const { createDebugListener } = await import("./debug-listener.js");
    add({ name: "debug", listen: createDebugListener(environment, wanted.color) });
  }
  return {
    onEvent: (event) => {
      for (const listener of listeners) {
        const thrown = failureOf(listener.listen, event);
        if (thrown === null) continue;
        // A listener that throws is dropped; the run does not depend on who watches it.
        listeners = listeners.filter((one) => one !== listener);
        const reason = visibleLine(messageOf(thrown.cause));
        problems.push({ title: `The ${listener.name} listener failed and was removed: ${reason}` });
      }
    },
    stop: async () => {
      progress?.stop();
      const failure = await file?.close();
      if (failure !== null && failure !== undefined) problems.push({ title: `Cannot write the events: ${failure}` });
      return problems;
    },
  };
}

function openEvents(path: string, { stdout, files }: CliEnvironment): LineFile {
  if (path !== "-") return files.openLines(path);
  let last: Promise<string | null> = Promise.resolve(null);
  return {
    write: (line) => {
      last = stdout.write(`${line}\n`, "json");
    },
    close: () => last,
  };
}
