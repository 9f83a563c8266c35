import {
  createRedactor,
  createSystemClock,
  type Clock,
  type Environment,
  type Redactor,
  type ServerTrace,
} from "@kindlm/core";
import { secretValues } from "@kindlm/core/program";
import type { Writable } from "node:stream";
import { createAsTyped, type AsTyped } from "./arguments/as-typed.js";
import { reporterNames } from "./reporters/registry.js";
import { createFileSinks, type FileSinks } from "./sinks/create-file-sinks.js";
import { createOutput } from "./sinks/create-output.js";
import type { OutputStream } from "./sinks/output-stream.js";
import { Screen } from "./terminal/screen.js";
import { Keys, type Keyboard, type OnStop } from "./terminal/keys.js";

export type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** The world as the command line sees it. Everything that leaves it passes `redactor`. */
export interface CliEnvironment {
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  cwd: string;
  stdout: OutputStream;
  stderr: OutputStream;
  files: FileSinks;
  /** What all sinks share, those of core too. It learns more secrets when a config is read. */
  redactor: Redactor;
  /** What is piped into the program; nothing is read before it is asked for. */
  stdin: AsyncIterable<Uint8Array>;
  /** The version of Node.js that runs this, such as `v22.18.0`. */
  nodeVersion: string;
  clock: Clock;
  /** For every command that the product prints to be typed. */
  asTyped: AsTyped;
  /** What every call of core receives: the same environment without what is for people. */
  core: Environment;
  /** Called when a run starts. */
  expectTrials(count: number): void;
  /** Asks a person, who may leave without an answer (null); null when nobody is there. */
  ask: ((question: string) => Promise<string | null>) | null;
  /** Reads single keys; null if stdin is not a terminal. */
  keys: Keys | null;
  onStop: OnStop;
  /**
   * Calls `handle` at Ctrl-C and other requests to end, until the returned function is called. If it returns true, that is
   * all that happens: the program goes on.
   */
  onInterrupt(handle: (signal: EndSignal) => boolean): () => void;
}

interface Given extends Omit<
  CliEnvironment,
  "stdout" | "stderr" | "files" | "redactor" | "clock" | "asTyped" | "core" | "keys" | "onStop" | "onInterrupt"
> {
  stdout: Writable;
  stderr: Writable;
  /** Aborts at the first SIGINT, SIGTERM or SIGHUP. */
  interrupt: AbortSignal;
  /** Called before a large config is parsed. */
  expectLargeConfig(): void;
  /** Called with the number of trials of a finished run, before they are read. */
  expectStoredTrials(count: number): void;
  /** Called with the compilation of WebAssembly that a whole run uses. */
  compileWasm<T>(compile: () => T): T;
  /** Registers what must be done, synchronously, when the process ends. */
  atExit(callback: () => void): void;
  /** The file that Node was given. Default: unknown, and commands are printed as those of a global program. */
  script?: string | undefined;
  /** Default: that of the machine. */
  clock?: Clock;
  /** Default: nobody can press a key. */
  keyboard?: Keyboard | null;
  /** Default: the process is never stopped. */
  onStop?: OnStop;
  /** Default: Ctrl-C always ends the program. */
  onInterrupt?: CliEnvironment["onInterrupt"];
  /** Receives an uncaught error of a user's module. Default: it is lost. */
  onStrayError?(cause: unknown, what: string): void;
  /** Receives a module that `process.exit` would wait for. */
  onStuckModule?(): void;
}

/** The one place where streams and files are put behind the redactor. Takes both streams over. */
export function createEnvironment({
  stdout,
  stderr,
  interrupt,
  atExit,
  expectLargeConfig,
  expectStoredTrials,
  compileWasm,
  onStrayError = () => {},
  onStuckModule = () => {},
  script,
  keyboard = null,
  onStop = () => () => {},
  onInterrupt = () => () => {},
  ...given
}: Given): CliEnvironment {
  const redactor = createRedactor(secretValues(given.env));
  const screen = new Screen(() => outputs.stderr.columns() ?? outputs.stdout.columns() ?? 80);
  const outputs = {
    stdout: createOutput(stdout, redactor, screen),
    stderr: createOutput(stderr, redactor, screen),
  };
  atExit(() => {
    outputs.stdout.flush();
    outputs.stderr.flush();
    // However the process ends, the cursor is there again.
    void outputs.stderr.draw("", null);
  });
  const { env, cwd, clock = createSystemClock() } = given;
  // Output of modules is not part of the report.
  const modules = { moduleConsole: "stderr" as const, onStrayError, onStuckModule, reporterNames };
  const onServerTrace = async ({ type, told }: ServerTrace): Promise<void> => {
    const { createTrace } = await import("./listeners/debug-listener.js");
    createTrace({ env, redactor, stderr: outputs.stderr }, false)(`server/${type}`, () => told);
  };
  const traced = (env["DEBUG"] ?? "") === "" ? {} : { onServerTrace };
  const expected = { expectLargeConfig, expectStoredTrials, compileWasm };
  const core = { env, cwd, clock, signal: interrupt, atExit, redactor, ...expected, ...modules, ...traced };
  const asTyped = createAsTyped({ env, cwd, script });
  const keys = keyboard === null ? null : new Keys(keyboard, onStop);
  const made = { redactor, clock, asTyped, core, keys, onStop, onInterrupt };
  return { ...given, ...outputs, files: createFileSinks(redactor), ...made };
}
