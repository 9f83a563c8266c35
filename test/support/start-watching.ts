import type { CliEnvironment } from "../../packages/cli/src/environment.js";
import { PassThrough } from "node:stream";
import { onTestFailed } from "vitest";
import type { Clock } from "../../packages/core/src/values/clock.js";
import { createLeapingClock } from "./leaping-clock.js";
import { runCli, type CliOptions, type CliOutcome } from "./run-cli.js";

/** A session is in this process, and its time leaps: what is not printed by then will not be, even on a busy machine. */
const patienceMs = 8_000;

/** A session of watch mode, with a person in front of it. */
export interface WatchingCli {
  /** Types, such as `\r` or `t`. */
  press(keys: string): void;
  /** Presses Ctrl-C. Returns whether the session goes on. */
  interrupt(): boolean;
  /** Resolves when the text has been printed after the one that was waited for last; rejects when it is not. */
  sees(text: string): Promise<void>;
  /** What was printed after the text that was waited for last. */
  rest(): string;
  /** Quits, and resolves with everything that was printed. */
  quit(): Promise<CliOutcome>;
  outcome: Promise<CliOutcome>;
}

/** Starts `kindlm` in this process, with keys and without control sequences, and with time that nobody waits for. */
export function startWatching(
  args: readonly string[],
  { cwd, env = {}, hasKeys = true, clock = createLeapingClock() }: CliOptions & { hasKeys?: boolean; clock?: Clock },
): WatchingCli {
  const stream = Object.assign(new PassThrough(), { setRawMode: () => {} });
  const stop = new AbortController();
  let handle: Parameters<CliEnvironment["onInterrupt"]>[0] = () => false;
  const printed = { stdout: "", stderr: "" };
  let text = "";
  let mark = 0;
  const waiting = new Set<() => void>();
  onTestFailed(() => {
    process.stderr.write(`Printed, with ⟨⟩ where it was seen last:\n${text.slice(0, mark)}⟨⟩${text.slice(mark)}\n`);
  });
  const onMore = (name: keyof typeof printed) => (all: string) => {
    text += all.slice(printed[name].length);
    printed[name] = all;
    for (const look of waiting) look();
  };
  const keyboard = { stream, isInForeground: () => Promise.resolve(true), signal: () => void handle("SIGINT") };
  const outcome = runCli(args, {
    cwd,
    env: { TERM: "dumb", NO_COLOR: "1", COLUMNS: "100", ...env },
    clock,
    interrupt: stop.signal,
    onStdout: onMore("stdout"),
    onStderr: onMore("stderr"),
    person: {
      keyboard: hasKeys ? keyboard : null,
      onInterrupt: (next) => {
        handle = next;
        return () => void (handle = () => false);
      },
    },
  });
  const interrupt = (): boolean => {
    const goesOn = handle("SIGINT");
    if (!goesOn) stop.abort();
    return goesOn;
  };
  return {
    press: (keys) => void stream.write(keys),
    interrupt,
    sees: (wanted) =>
      new Promise((resolve, reject) => {
        // Holds nothing open, so that the clock of the session does not take it for work.
        const late = setTimeout(() => reject(new Error(`Not printed: ${wanted}`)), patienceMs).unref();
        const look = (): void => {
          const found = text.indexOf(wanted, mark);
          if (found === -1) return;
          mark = found + wanted.length;
          waiting.delete(look);
          clearTimeout(late);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    rest: () => text.slice(mark),
    async quit() {
      if (hasKeys) stream.write("q");
      else stop.abort();
      return outcome;
    },
    outcome,
  };
}
