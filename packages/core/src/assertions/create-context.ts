import { compileSchema } from "../json-schema/compile-schema.js";
import { createSchemaLoader } from "../json-schema/create-schema-loader.js";
import type { UserModules } from "../modules/user-modules.js";
import { createUserModules } from "../modules/create-user-modules.js";
import type { ProcessRunner } from "../processes/process-runner.js";
import type { Clock } from "../values/clock.js";
import type { AssertionContext, SnapshotWriter } from "./define-assertion.js";
import { noModels, type ModelPorts } from "./model-ports.js";

export interface AssertionPorts {
  clock: Clock;
  processes: ProcessRunner;
  /** Default: one that never aborts. */
  signal?: AbortSignal;
  /** Milliseconds that a user's own check may take. Default 60,000. */
  timeoutMs?: number;
  /** Environment of the user's own programs. Default: empty. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Default: none, so that assertions that ask one cannot be evaluated. */
  models?: ModelPorts;
  /** Share them between contexts of one run, so that each schema is loaded once. Default: new ones. */
  loaders?: AssertionLoaders;
  /** Default: snapshots are compared with, and not written. */
  writeSnapshot?: SnapshotWriter | null;
  /** The user's own modules. Default: those of this process, which are never closed and keep it from nothing. */
  modules?: UserModules;
}

/** Milliseconds that a user's own check may take where nothing else is said; the same as for tools. */
const defaultTimeoutMs = 60_000;

/** What assertions load, with a memory of what was loaded. */
type AssertionLoaders = Pick<AssertionContext, "loadSchema" | "compileSchema">;

/** One worker for all assertions that are evaluated outside of runs. */
let ofProcess: UserModules | null = null;

/** Makes the world that assertions see. Where trials differ in `signal`, spread the context and replace it. */
export function createAssertionContext(ports: AssertionPorts): AssertionContext {
  return {
    clock: ports.clock,
    processes: ports.processes,
    signal: ports.signal ?? new AbortController().signal,
    timeoutMs: ports.timeoutMs ?? defaultTimeoutMs,
    env: ports.env ?? {},
    models: ports.models ?? noModels,
    modules: ports.modules ?? (ofProcess ??= createUserModules()),
    ...(ports.writeSnapshot === undefined || ports.writeSnapshot === null
      ? {}
      : { writeSnapshot: ports.writeSnapshot }),
    ...(ports.loaders ?? { loadSchema: createSchemaLoader(), compileSchema }),
  };
}
