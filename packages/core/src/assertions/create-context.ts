import { compileSchema } from "../json-schema/compile-schema.js";
import { createSchemaLoader } from "../json-schema/create-schema-loader.js";
import { createExportLoader, type LoadExport } from "../modules/create-export-loader.js";
import type { ProcessRunner } from "../processes/process-runner.js";
import type { Clock } from "../values/clock.js";
import { evalError } from "./assertion-failure.js";
import type { AssertionContext } from "./define-assertion.js";
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
  /** Default: none, so that assertions that ask one can not be evaluated. */
  models?: ModelPorts;
  /** Share them between contexts of one run, so that each schema and module is loaded once. Default: new ones. */
  loaders?: AssertionLoaders;
  /** Share it with others who load the user's modules, so that each is there once. Default: a new one. */
  loadExport?: LoadExport;
}

/** Milliseconds that a user's own check may take where nothing else is said; the same as for tools. */
const defaultTimeoutMs = 60_000;

/** What assertions load, with a memory of what was loaded. */
type AssertionLoaders = Pick<AssertionContext, "loadSchema" | "compileSchema" | "loadExport">;

/** Makes the loaders of one run. */
function createAssertionLoaders(loadExport: LoadExport = createExportLoader()): AssertionLoaders {
  return {
    loadSchema: createSchemaLoader(),
    compileSchema,
    async loadExport(file, name) {
      const loaded = await loadExport(file, name);
      return loaded.success ? loaded : evalError("module", loaded.error.message, loaded.error.cause);
    },
  };
}

/** Makes the world that assertions see. Where trials differ in `signal`, spread the context and replace it. */
export function createAssertionContext(ports: AssertionPorts): AssertionContext {
  return {
    clock: ports.clock,
    processes: ports.processes,
    signal: ports.signal ?? new AbortController().signal,
    timeoutMs: ports.timeoutMs ?? defaultTimeoutMs,
    env: ports.env ?? {},
    models: ports.models ?? noModels,
    ...(ports.loaders ?? createAssertionLoaders(ports.loadExport)),
  };
}
