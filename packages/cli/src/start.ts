import { Console } from "node:console";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { isOwnError } from "./process/is-own-error.js";
import { createV8Tuning } from "./process/tune-v8.js";

/** After the first signal everything ends within this time, whatever still hangs. */
const longestShutdownMs = 1_900;

/** Maximum number of different uncaught errors of user modules that are reported. */
const mostStrays = 5;

/** Runs the command line in this process, and ends it. */
export async function start(argv: readonly string[]): Promise<void> {
  const [{ main, printFailure, printStray }, { createEnvironment }] = await Promise.all([
    import("./main.js"),
    import("./environment.js"),
  ]);
  const ending = new Ending();
  const interrupt = ending.interrupt.signal;
  const tuning = createV8Tuning(process.versions.v8, (flags) =>
    process.getBuiltinModule("node:v8").setFlagsFromString(flags),
  );
  const strays = new Map<string, Promise<void>>();
  const environment = createEnvironment({
    env: process.env,
    cwd: process.cwd(),
    nodeVersion: process.version,
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    interrupt,
    atExit: (callback: () => void) => void process.on("exit", callback),
    expectLargeConfig: tuning.forLargeConfig,
    expectTrials: tuning.forTrials,
    onStrayError: (cause, what) => tellStray(cause, what),
    onStuckModule: () => {
      ending.isStuck = true;
    },
    ask: process.stdin.isTTY && process.stderr.isTTY ? (question) => ask(question, interrupt) : null,
  });
  const tellStray = (cause: unknown, what: string): void => {
    const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : typeof cause === "string" ? cause : "";
    if (strays.size < mostStrays && !strays.has(text)) strays.set(text, printStray({ cause, what }, argv, environment));
  };
  const onUncaught = (cause: unknown): void => {
    const core = pathToFileURL(createRequire(import.meta.url).resolve("@kindlm/core"));
    const own = [import.meta.url, core].map((url) => new URL(".", url).href);
    if (isOwnError(cause, own)) ending.crash(() => printFailure(cause, argv, environment));
    else tellStray(cause, "");
  };
  ending.watchProcess();
  process.on("uncaughtException", onUncaught);
  process.on("unhandledRejection", onUncaught);
  giveStdoutToTheReport();
  const exitCode = await main(argv, environment);
  await Promise.all(strays.values());
  ending.end(exitCode);
}

/** How this process ends: by itself, by a signal, or because KindLM has crashed. */
class Ending {
  readonly interrupt = new AbortController();
  /** A module waits inside the system, which nothing but the end of everything ends. */
  isStuck = false;
  #hasCrashed = false;
  #hasEnded = false;

  watchProcess(): void {
    // Windows has no SIGHUP; Node raises it there when the console is closed.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => this.#shutDown());
    process.on("exit", () => {
      if (this.#hasEnded || this.#hasCrashed || this.interrupt.signal.aborted) return;
      // A library called process.exit, or nothing was left that could end the run.
      process.exitCode = 1;
      process.stderr.write("✗ The process exited before the run finished\n");
    });
  }

  /** Shuts down with exit code 1 once the failure is printed; only the first one is. */
  crash(print: () => Promise<unknown>): void {
    process.exitCode = 1;
    if (this.#hasCrashed) return;
    this.#hasCrashed = true;
    void print().finally(() => {
      if (!this.interrupt.signal.aborted) this.#shutDown();
    });
  }

  /** Ends when all output is written, even if a library left a timer or a connection open. */
  end(exitCode: number): void {
    this.#hasEnded = true;
    process.exitCode = this.#hasCrashed ? 1 : exitCode;
    process.stdout.write("", () => process.stderr.write("", () => (this.isStuck ? this.#leave() : process.exit())));
  }

  #shutDown(): void {
    if (this.interrupt.signal.aborted) this.#leave();
    this.interrupt.abort();
    setTimeout(() => this.#leave(), longestShutdownMs).unref();
  }

  /** `process.exit` waits for a module that is stuck. */
  #leave(): void {
    if (this.isStuck) process.kill(process.pid, "SIGKILL");
    else process.exit(1);
  }
}

/** Output of a library with `console` is not part of the report. The stream behind it redacts. */
function giveStdoutToTheReport(): void {
  globalThis.console = new Console(process.stderr, process.stderr);
}

async function ask(question: string, signal: AbortSignal): Promise<string | null> {
  const { createInterface } = await import("node:readline");
  // The terminal shows what is typed by itself, so that the stream has whole lines alone.
  const lines = createInterface({ input: process.stdin, terminal: false });
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => lines.close());
    lines.on("close", () => resolve(null));
    lines.once("line", (answer) => {
      resolve(answer.trim());
      lines.close();
    });
    process.stderr.write(`${question}\n`);
  });
}
