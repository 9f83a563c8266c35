import { dirname, join } from "node:path";
import { Writable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { createEnvironment } from "../../packages/cli/src/environment.js";
import type { main } from "../../packages/cli/src/main.js";
import type { ProcessOutput } from "../../packages/cli/src/sinks/create-output.js";
import type { UserModules } from "../../packages/core/src/modules/user-modules.js";
import type { Clock } from "../../packages/core/src/values/clock.js";

export const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export interface CliOutcome {
  code: number;
  stdout: string;
  stderr: string;
  durationMs: number;
}

export interface CliOptions {
  cwd: string;
  env?: Readonly<Record<string, string>>;
}

export interface InProcessOptions extends CliOptions {
  /** The file by which the program was started. Default: that of a global program. */
  script?: string;
  /** Default: the real time. */
  clock?: Clock;
  /** Default: a worker of its own. */
  openModules?: () => UserModules;
  /** Aborts as a signal to the process would. */
  interrupt?: AbortSignal;
  /** The reader of stdout goes away after this many characters, as `head` does. Default: never. */
  readerLeavesAfter?: number;
  /** What is piped into the program. Default: nothing. */
  stdin?: string;
  /** Called with the whole of stderr whenever there is more of it. */
  onStderr?: (text: string) => void;
  /** Both streams go to it. Default: to no terminal. */
  terminal?: Record<"stdout" | "stderr", ProcessOutput>;
  /** Called with the whole of stdout whenever there is more of it. */
  onStdout?: (text: string) => void;
  /** Somebody who presses keys, and what Ctrl-C does. Default: nobody is there. */
  person?: Pick<Parameters<typeof createEnvironment>[0], "keyboard" | "onInterrupt">;
}

interface Bundle {
  main: typeof main;
  createEnvironment: typeof createEnvironment;
}

const distOf = (name: string): string => pathToFileURL(join(repository, "packages", "cli", "dist", name)).href;

/** Of the bundle that is published, which Node loads as it is. */
const bundle: Promise<Bundle> = Promise.all([
  import(/* @vite-ignore */ distOf("main.cjs")),
  import(/* @vite-ignore */ distOf("environment.cjs")),
]).then(([main, environment]: readonly object[]) => ({ ...main, ...environment }) as Bundle);

/**
 * Runs the built command line in this process, in an environment that contains only what is given. Where a process is
 * the promise (signals, pipes, exit, stray errors), `runProcess` starts one.
 */
export async function runCli(
  args: readonly string[],
  {
    cwd,
    env = {},
    script,
    clock,
    openModules,
    interrupt = new AbortController().signal,
    readerLeavesAfter = Number.POSITIVE_INFINITY,
    stdin = "",
    onStderr = () => {},
    terminal,
    onStdout = () => {},
    person = {},
  }: InProcessOptions,
): Promise<CliOutcome> {
  const built = await bundle;
  const startedAt = performance.now();
  const [stdout, stderr] = [
    collectingStream(readerLeavesAfter, onStdout),
    collectingStream(Number.POSITIVE_INFINITY, onStderr),
  ];
  const exits: (() => void)[] = [];
  const environment = built.createEnvironment({
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, ...env },
    cwd,
    nodeVersion: process.version,
    script,
    stdin: (async function* () {
      if (stdin !== "") yield Buffer.from(stdin);
    })(),
    stdout: terminal?.stdout ?? stdout.stream,
    stderr: terminal?.stderr ?? stderr.stream,
    interrupt,
    atExit: (callback) => void exits.push(callback),
    expectLargeConfig: () => {},
    expectStoredTrials: () => {},
    compileWasm: (compile) => compile(),
    expectTrials: () => {},
    ask: null,
    ...person,
    ...(clock === undefined ? {} : { clock }),
  });
  const core = openModules === undefined ? environment.core : { ...environment.core, openModules };
  const code = await built.main(args, { ...environment, core });
  for (const exit of exits) exit();
  return { code, stdout: stdout.text(), stderr: stderr.text(), durationMs: performance.now() - startedAt };
}

function collectingStream(
  mostChars: number,
  onText: (text: string) => void = () => {},
): { stream: Writable; text(): string } {
  let written = "";
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _encoding, done) {
      written += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
      onText(written);
      done(written.length > mostChars ? Object.assign(new Error("write EPIPE"), { code: "EPIPE" }) : null);
    },
  });
  return { stream, text: () => written.slice(0, mostChars) };
}

/** What differs from run to run, made equal: durations, run ids, ports and folders. */
export function stable(text: string, folder: string): string {
  return (
    text
      .replaceAll(folder, "<folder>")
      .replaceAll(/\b\d{8}-\d{9}-[0-9a-f]{6}\b/g, "<run>")
      .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:<port>")
      // What is at the right margin moves with the length of a duration.
      .replaceAll(/ {2,}(?=(?:\$[\d.]+ in )?\d+(?:\.\d+)? (?:ms|s|min)\b)/g, "  ")
      .replaceAll(/ {2,}(?=at (?:most|least) )/g, "  ")
      .replaceAll(/\b\d+(\.\d+)? (ms|s|min)\b/g, "<time>")
  );
}
