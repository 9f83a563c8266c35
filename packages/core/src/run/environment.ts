import type { ConfigEnvironment } from "../config/config-environment.js";
import type { RunEventListener } from "../engine/create-event-stream.js";
import { attempt, withCleanup } from "../errors/boundary.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { messageOf } from "../errors/message-of.js";
import { createUserModules } from "../modules/create-user-modules.js";
import type { ModuleWorld, UserModules } from "../modules/user-modules.js";
import { createProcessRunner } from "../processes/node-process-runner.js";
import type { ProcessRunner } from "../processes/process-runner.js";
import { proxySettingsOf } from "../providers/http/proxy-settings.js";
import type { HttpTransport } from "../providers/http/transport.js";
import { createUndiciTransport, type CompileWasm } from "../providers/http/undici-transport.js";
import { createRedactor } from "../redaction/redactor.js";
import { formats } from "../reporters/registry.js";
import { secretValues } from "../redaction/secret-values.js";
import type { SpanSettings } from "../span-export/span-settings.js";
import { createSystemClock, type Clock } from "../values/clock.js";
import { processDefaults } from "../values/process-defaults.js";

/** A request to the results server or its answer, without headers and bodies, for people who look for a mistake. */
export interface ServerTrace {
  type: "request" | "reply" | "failure";
  /** Such as the path and the status. */
  told: Readonly<Record<string, string | number>>;
}

/** What a caller can pass in, for one call or for all. Each part defaults to the real thing. */
export interface Environment extends Partial<ConfigEnvironment> {
  /** Called for each event of a run, in order. */
  onEvent?: RunEventListener;
  /** Called for each request to a results server, and for what became of it. */
  onServerTrace?(traced: ServerTrace): void | Promise<void>;
  /** Where the spans of a run go; absent if nowhere. Nothing of the environment turns that on by itself. */
  spans?: SpanSettings;
  /** Aborts when the user interrupts. */
  signal?: AbortSignal;
  clock?: Clock;
  http?: HttpTransport;
  processes?: ProcessRunner;
  /** Opens the user's modules, for one run or check; the caller closes them. Default: a worker is started for them. */
  openModules?(): UserModules;
  /** Takes what is to be done, at once, when the calling process ends in the middle of a run. */
  atExit?(callback: () => void): void;
  /** Called with the number of trials of a finished run, before they are read. */
  expectStoredTrials?(count: number): void;
  /** Called with the compilation of WebAssembly that a whole run uses. Default: it is done as V8 does it by itself. */
  compileWasm?: CompileWasm;
  /** Names of the caller's own reporters, which no extension can take. Default: those of `formats`. */
  reporterNames?: readonly string[];
  /** Where `console` of the user's modules prints. Default: stdout. */
  moduleConsole?: "stdout" | "stderr";
  /** Receives an uncaught error of a user's module; `what` names the module. No verdict depends on it. */
  onStrayError?(cause: unknown, what: string): void;
  /**
   * Called when a user's module cannot be stopped, because it is blocked in a system call, such as for a program or a
   * pipe. `process.exit` would wait for it.
   */
  onStuckModule?(): void;
}

/** What a caller either passes in or gets by default. */
type Given = Required<Pick<Environment, "env" | "cwd" | "clock" | "http" | "processes" | "redactor">>;

/** The environment with the real thing wherever the caller passed in nothing. */
export interface World
  extends
    Given,
    Pick<
      Environment,
      "onEvent" | "onServerTrace" | "expectLargeConfig" | "expectStoredTrials" | "onDependency" | "spans"
    > {
  signal: AbortSignal | null;
  reporterNames: readonly string[];
  /** The user's modules, closed by whoever opens them. */
  openModules(): UserModules;
}

/** The world of a command that opens things, and the owner of them: when the command ends, none is left open. */
export interface RunWorld extends World {
  /** Returns a function that calls `close`, once: when it is called, or else when the command ends, the last first. */
  atEnd<T>(close: () => Promise<T>): () => Promise<T>;
}

export function completeEnvironment(environment: Environment): World {
  const { clock = createSystemClock(), onEvent, onServerTrace, onDependency } = environment;
  const { expectLargeConfig, expectStoredTrials, spans, compileWasm } = environment;
  const { env, cwd } = processDefaults(environment);
  return {
    env,
    cwd,
    signal: environment.signal ?? null,
    clock,
    reporterNames: environment.reporterNames ?? formats.map(({ name }) => name),
    ...(onEvent === undefined ? {} : { onEvent }),
    ...(onServerTrace === undefined ? {} : { onServerTrace }),
    ...(expectLargeConfig === undefined ? {} : { expectLargeConfig }),
    ...(expectStoredTrials === undefined ? {} : { expectStoredTrials }),
    ...(onDependency === undefined ? {} : { onDependency }),
    ...(spans === undefined ? {} : { spans }),
    http: environment.http ?? createUndiciTransport(clock, { proxy: proxySettingsOf(env), compileWasm }),
    processes: environment.processes ?? createProcessRunner(clock, environment.atExit),
    openModules: environment.openModules ?? (() => createUserModules(moduleWorldOf(environment))),
    redactor: environment.redactor ?? createRedactor(secretValues(env)),
  };
}

/** The parts of the environment that user modules need. */
function moduleWorldOf({ moduleConsole, onStrayError, onStuckModule }: Environment): ModuleWorld {
  return {
    ...(moduleConsole === undefined ? {} : { console: moduleConsole }),
    ...(onStrayError === undefined ? {} : { onStray: onStrayError }),
    ...(onStuckModule === undefined ? {} : { onStuck: onStuckModule }),
  };
}

/** Does the work of a command, and closes what it opened, however it ends. The caller's own transport stays open. */
export function withRunWorld<T>(environment: Environment, work: (world: RunWorld) => Promise<T>): Promise<T> {
  const world = completeEnvironment(environment);
  const closers: (() => Promise<unknown>)[] = [];
  const atEnd = <R>(close: () => Promise<R>): (() => Promise<R>) => {
    let closing: Promise<R> | null = null;
    const once = (): Promise<R> => (closing ??= close());
    closers.push(once);
    return once;
  };
  if (environment.http === undefined) atEnd(() => world.http.close());
  const openModules = (): UserModules => {
    const modules = world.openModules();
    return { ...modules, close: atEnd(() => modules.close()) };
  };
  const closeAll = async (): Promise<void> => {
    for (const close of closers.toReversed()) {
      // What cannot be closed must neither keep the others open nor hide how the work ended.
      await attempt(close, (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }));
    }
  };
  return withCleanup(() => work({ ...world, openModules, atEnd }), closeAll);
}
