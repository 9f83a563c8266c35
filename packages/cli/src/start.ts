import { Console } from "node:console";
import { createRequire } from "node:module";
import { pathToFileURL, fileURLToPath } from "node:url";
import type { EndSignal } from "./environment.js";
import { createV8Tuning } from "./process/v8-tuning.js";
import type { OnStop } from "./terminal/keys.js";

/** After the first signal everything ends within this time, whatever still hangs. */
const longestShutdownMs = 1_900;

/** Maximum number of different uncaught errors of user modules that are reported. */
const mostStrays = 5;

/** Runs the command line in this process, and ends it. `keepCode` keeps what was compiled under the flags of that moment. */
export async function start(argv: readonly string[], keepCode: () => void): Promise<void> {
  const [{ main, printFailure, printStray }, { createEnvironment }] = await Promise.all([
    import("./main.js"),
    import("./environment.js"),
  ]);
  const ending = new Ending();
  const interrupt = ending.interrupt.signal;
  const tuning = createV8Tuning(process.versions.v8, { setFlags, collect });
  process.on("exit", () => {
    keepCode();
    tuning.restore();
    keepCode();
  });
  const strays = new Map<string, Promise<void>>();
  const environment = createEnvironment({
    env: process.env,
    cwd: process.cwd(),
    nodeVersion: process.version,
    script: process.argv[1],
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    interrupt,
    atExit: (callback: () => void) => void process.on("exit", callback),
    expectLargeConfig: tuning.forLargeConfig,
    expectTrials: tuning.forTrials,
    expectStoredTrials: tuning.forStoredTrials,
    compileWasm: tuning.forWasm,
    onStrayError: (cause, what) => tellStray(cause, what),
    onStuckModule: () => {
      ending.isStuck = true;
    },
    ask: process.stdin.isTTY && process.stderr.isTTY ? (question) => ask(question, interrupt) : null,
    keyboard: process.stdin.isTTY ? { stream: process.stdin, isInForeground, signal: signalFromKey } : null,
    onStop: watchStops(),
    onInterrupt: (handle) => ending.letHandle(handle),
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

function setFlags(flags: string): void {
  process.getBuiltinModule("node:v8").setFlagsFromString(flags);
}

/** V8 gives its function to contexts that are made while the flag is set. Where it does not, the run takes more memory. */
function collect(): void {
  setFlags("--expose-gc");
  process.getBuiltinModule("node:vm").runInNewContext("globalThis.gc?.()");
  setFlags("--no-expose-gc");
}

/** How this process ends: by itself, by a signal, or because KindLM has crashed. */
class Ending {
  readonly interrupt = new AbortController();
  /** A module waits inside the system, which nothing but the end of everything ends. */
  isStuck = false;
  #hasCrashed = false;
  #hasEnded = false;
  #handleInterrupt: ((signal: EndSignal) => boolean) | null = null;

  watchProcess(): void {
    // Windows has no SIGHUP; Node raises it there when the console is closed.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (this.#handleInterrupt?.(signal) !== true) this.#shutDown();
      });
    }
    process.on("exit", () => {
      if (this.#hasEnded || this.#hasCrashed || this.interrupt.signal.aborted) return;
      // A library called process.exit, or nothing was left that could end the run.
      process.exitCode = 1;
      process.stderr.write("✗ The process exited before the run finished\n");
    });
  }

  /** Asks `handle` at each signal to end, until the returned function is called. If it returns true, nothing ends. */
  letHandle(handle: (signal: EndSignal) => boolean): () => void {
    this.#handleInterrupt = handle;
    return () => {
      this.#handleInterrupt = null;
    };
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

async function isInForeground(): Promise<boolean> {
  const { isInForeground: isInFront } = await import("@kindlm/core/program");
  return isInFront();
}

/** Reaches everything that the shell started together with this process, as it would without anybody who reads keys. */
function signalFromKey(name: "SIGINT" | "SIGQUIT" | "SIGTSTP"): void {
  // There are no process groups: the console would tell this process alone.
  if (process.platform === "win32") process.emit(name);
  else void import("@kindlm/core/program").then(({ signalOwnGroup }) => signalOwnGroup(name));
}

/** Stops this process at Ctrl-Z after all who listen have left the terminal as they found it. */
function watchStops(): OnStop {
  const listeners = new Set<{ before(): void; after(): void }>();
  process.on("SIGTSTP", () => {
    for (const { before } of listeners) before();
    process.kill(process.pid, "SIGSTOP");
  });
  process.on("SIGCONT", () => {
    for (const { after } of listeners) after();
  });
  return (before, after) => {
    const listener = { before, after };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
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

/** Libraries that work for KindLM alone, so that what goes wrong in them is its own fault. */
const ownLibraries = /[\\/]node_modules[\\/](undici|p-limit)[\\/]/;

/**
 * Whether an error that nobody caught comes from KindLM itself, by the topmost file of its stack. What a tool, a check
 * or a user's plugin leaves behind, such as a promise that nobody waits for, is not: no verdict depends on it.
 * `folders` are URLs of the folders that hold KindLM.
 */
export function isOwnError(cause: unknown, folders: readonly string[]): boolean {
  const stack = cause instanceof Error && typeof cause.stack === "string" ? cause.stack : "";
  const top = stack.split("\n").find((line) => /^\s+at .*[\\/]/.test(line) && !line.includes("node:"));
  if (top === undefined) return false;
  return ownLibraries.test(top) || folders.some((url) => top.includes(url) || top.includes(fileURLToPath(url)));
}
