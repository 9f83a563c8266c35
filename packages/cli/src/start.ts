import { Console } from "node:console";
import { isOwnError } from "./is-own-error.js";
import { createV8Tuning } from "./tune-v8.js";

/** After the first signal everything ends within this time, whatever still hangs. */
const longestShutdownMs = 1_900;

/** So many different errors that modules of the user's leave behind are told. */
const mostStrays = 5;

/** Runs the command line in this process, and ends it. */
export async function start(argv: readonly string[]): Promise<void> {
  const [{ main, printFailure, printStray }, { createEnvironment }] = await Promise.all([
    import("./main.js"),
    import("./environment.js"),
  ]);
  const interrupt = new AbortController();
  const tuning = createV8Tuning(process.versions.v8, (flags) =>
    process.getBuiltinModule("node:v8").setFlagsFromString(flags),
  );
  const strays = new Map<string, Promise<void>>();
  let isStuck = false;
  const environment = createEnvironment({
    env: process.env,
    cwd: process.cwd(),
    nodeVersion: process.version,
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    interrupt: interrupt.signal,
    atExit: (callback: () => void) => void process.on("exit", callback),
    expectLargeConfig: tuning.forLargeConfig,
    expectTrials: tuning.forTrials,
    onStrayError: (cause, what) => tellStray(cause, what),
    onStuckModule: () => {
      isStuck = true;
    },
    ask: process.stdin.isTTY && process.stderr.isTTY ? (question) => ask(question, interrupt.signal) : null,
  });
  const tellStray = (cause: unknown, what: string): void => {
    const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : typeof cause === "string" ? cause : "";
    if (strays.size < mostStrays && !strays.has(text)) strays.set(text, printStray({ cause, what }, argv, environment));
  };
  const shutDown = (): void => {
    if (interrupt.signal.aborted) leave(isStuck);
    interrupt.abort();
    setTimeout(() => leave(isStuck), longestShutdownMs).unref();
  };
  // Windows has no SIGHUP of its own; Node raises it there when the console is closed.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, shutDown);
  let hasCrashed = false;
  const crash = (cause: unknown): void => {
    const own = [import.meta.url, import.meta.resolve("@kindlm/core")].map((url) => new URL(".", url).href);
    if (!isOwnError(cause, own)) return tellStray(cause, "");
    process.exitCode = 1;
    if (hasCrashed) return;
    hasCrashed = true;
    void printFailure(cause, argv, environment).finally(() => {
      if (!interrupt.signal.aborted) shutDown();
    });
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
  giveStdoutToTheReport();
  let hasEnded = false;
  process.on("exit", () => {
    if (hasEnded || hasCrashed || interrupt.signal.aborted) return;
    // A library called process.exit, or nothing was left that could end the run.
    process.exitCode = 1;
    process.stderr.write("✗ The process ended before the run did\n");
  });
  const exitCode = await main(argv, environment);
  await Promise.all(strays.values());
  hasEnded = true;
  end(hasCrashed ? 1 : exitCode, () => isStuck);
}

/** What a library prints with `console` is no part of the report. The stream behind it redacts. */
function giveStdoutToTheReport(): void {
  globalThis.console = new Console(process.stderr, process.stderr);
}

/** Ends when all output is written, even if a library left a timer or a connection open. */
function end(exitCode: number, isStuck: () => boolean): void {
  process.exitCode = exitCode;
  process.stdout.write("", () => process.stderr.write("", () => (isStuck() ? leave(true) : process.exit())));
}

/** `process.exit` waits for a module that waits inside the system, which nothing but the end of everything ends. */
function leave(isStuck: boolean): void {
  if (isStuck) process.kill(process.pid, "SIGKILL");
  else process.exit(1);
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
