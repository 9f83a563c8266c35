import type { SchemaValidator } from "../../json-schema/schema-validator.js";
import type { Result } from "../../result.js";
import type { FileAccess } from "../file-references.js";
import type { Env } from "../load-env-files.js";
import { loadDataset, type DatasetReference } from "../dataset/load-dataset.js";
import type { Timeouts } from "../resolved-config.js";
import type { ModelCatalog } from "../model-catalog.js";
import type { WrittenConfig } from "../schema/config-schema.js";
import type { Section } from "../source/section.js";
import type { NamedModel } from "./create-auxiliary-models.js";
import type { DefaultModels } from "./tested-models.js";
import type { KnownAgents } from "./known-agents.js";
import type { SharedTools } from "./resolve-tools.js";
import type { PreparedAssertion } from "./prepare-assertions.js";

/** What the suites of one config file have in common. */
export interface SuiteScope {
  /** The whole config file. */
  section: Section;
  written: WrittenConfig;
  access: FileAccess;
  models: ModelCatalog;
  /** For suites and tests that name none. */
  defaultModels: DefaultModels;
  /** `judge:` of the defaults. */
  defaultJudge: NamedModel | null;
  /** `embedder:` of the defaults. */
  defaultEmbedder: NamedModel | null;
  /** Tools at the top of the config, which suites name. */
  sharedTools: SharedTools;
  /** Agents at the top of the config, for suites without their own. */
  agents: KnownAgents | null;
  defaultAssertions: readonly PreparedAssertion[];
  /** Deadlines of this file's top level, when the run has other files too. */
  timeouts: Partial<Timeouts>;
  isCi: boolean;
  /** Environment, `.env` files included. */
  env: Env;
  /** Takes the names of variables whose values are to be kept out of every output. */
  secretNames: Set<string>;
  loadSchema(file: string): Promise<Result<SchemaValidator>>;
  loadRows(reference: DatasetReference): ReturnType<typeof loadDataset>;
}

/** Reads each dataset once, however many tests use it. */
export function createRowsLoader(access: FileAccess): SuiteScope["loadRows"] {
  const loaded = new Map<string, ReturnType<typeof loadDataset>>();
  return async (reference) => {
    const { section, written, form } = reference;
    const key = JSON.stringify([section.document.source.path, written, form]);
    const known = loaded.get(key);
    if (known !== undefined) return known;
    const loading = loadDataset(reference, access);
    // A failure names the place that asked, so that only what worked is shared.
    const outcome = await loading;
    if (outcome.success) loaded.set(key, loading);
    return outcome;
  };
}
