import { createSchemaLoader } from "../json-schema/create-schema-loader.js";
import { failure, success } from "../result.js";
import { isRecord } from "../values/json.js";
import type { ConfigModels } from "./auxiliary-model.js";
import { checkGates } from "./check-gates.js";
import { callOf } from "./call-settings.js";
import type { Env } from "./load-env-files.js";
import { accessOf } from "./file-references.js";
import { loadExtensions, type ExtensionWorld } from "./load-extensions.js";
import { resolveModels } from "./resolve-models.js";
import type { ModelCatalog } from "./model-catalog.js";
import { resolvePlugins } from "./resolve-plugins.js";
import { resolveProviders } from "./resolve-providers.js";
import type { ResolvedModel } from "./resolved-model.js";
import type { ResolvedPlugin } from "./resolved-plugin.js";
import { configSchema, type WrittenConfig } from "./schema/config-schema.js";
import { Findings } from "./source/finding.js";
import { parseSection, report, subsection, withoutNotes, type Section } from "./source/section.js";
import type { SourceFiles } from "./source/source-files.js";
import type { YamlDocument } from "./source/yaml-document.js";
import { reportMatcherSlips } from "./suite/report-schema-slips.js";
import { loadSuites, type LoadedSuite } from "./suite/load-suites.js";
import { nameModel } from "./suite/create-auxiliary-models.js";
import { prepareAssertions } from "./suite/prepare-assertions.js";
import { builtinTimeouts, timeoutsOf } from "./written-settings.js";
import type { KnownAgents } from "./suite/known-agents.js";
import { resolveAgents } from "./suite/resolve-agents.js";
import { reportUnusedTools, resolveSharedTools } from "./suite/resolve-tools.js";
import { createRowsLoader, type SuiteScope } from "./suite/suite-scope.js";

/** One config file with its suites, and all other findings in it. */
export interface ResolvedConfigFile {
  section: Section;
  /** What was found in parts that only some suites use, such as an entry of `models:`, each on its own. */
  parts: readonly Findings[];
  /** Null if the file is not a config at all. */
  written: WrittenConfig | null;
  suites: readonly LoadedSuite[];
  models: ConfigModels;
  plugins: readonly ResolvedPlugin[];
  secretNames: readonly string[];
}

export interface ConfigFileSettings {
  files: SourceFiles;
  env: Env;
  isCi: boolean;
  /** The project's folder, when it is not that of the config. */
  root: string | null;
  /** There are other configs, so that the deadlines of this one hold for its own models and tests only. */
  isOneOfSeveral: boolean;
  extensions: ExtensionWorld;
}

export async function resolveConfigFile(
  document: YamlDocument,
  world: ConfigFileSettings,
): Promise<ResolvedConfigFile> {
  const section: Section = withoutNotes({ document, base: [], value: document.value, findings: new Findings() });
  const written = parseConfig(section);
  if (written === null) {
    return { section, parts: [], written, suites: [], models: noModels, plugins: [], secretNames: [] };
  }
  const access = accessOf(document, { ...world, isFree: written.allow_outside === true });
  section.registered = await loadExtensions(section, written.extensions, access, world.extensions);
  const raw = isRecord(document.value) ? document.value : {};
  const providers = resolveProviders(subsection(section, ["providers"], raw["providers"]), world.env);
  const { toolMs, trialMs, ...requests } = timeoutsOf(world.isOneOfSeveral ? written.timeouts : undefined);
  const modelDefaults = { call: { call: callOf(written), section }, timeouts: requests };
  const models = await resolveModels(subsection(section, ["models"], raw["models"]), providers, modelDefaults, access);
  const { defaults } = written;
  const ofDefaults = { ...section, findings: new Findings() };
  const secretsOfSuites = new Set<string>();
  const tools = { access, env: world.env, secretNames: secretsOfSuites };
  const sharedTools = await resolveSharedTools(section, raw["tools"], tools);
  const found = await resolveAgents(section, written.agents, { ...tools, models, sharedTools });
  // What is wrong in them is known already; suites are not to miss them as well.
  const agents = found ?? (raw["agents"] === undefined ? null : noAgents);
  const scope: Omit<SuiteScope, "defaultModels"> = {
    sharedTools,
    agents,
    section,
    written,
    access,
    models,
    defaultJudge: nameModel(ofDefaults, ["defaults", "judge"], defaults?.judge, models),
    defaultEmbedder: nameModel(ofDefaults, ["defaults", "embedder"], defaults?.embedder, models),
    defaultAssertions: prepareAssertions(section, ["defaults", "assert"], defaults?.assert),
    timeouts: { ...(toolMs === undefined ? {} : { toolMs }), ...(trialMs === undefined ? {} : { trialMs }) },
    isCi: world.isCi,
    env: world.env,
    secretNames: secretsOfSuites,
    loadSchema: createSchemaLoader(),
    loadRows: createRowsLoader(access),
  };
  checkGates(section, written.gates, written);
  for (const key of ["defaults", "models"]) reportMatcherSlips(subsection(section, [key], raw[key]));
  const trialMsOfAll = timeoutsOf(written.timeouts).trialMs ?? builtinTimeouts.trialMs;
  const plugins = await resolvePlugins(section, written.plugins, { ...scope, trialMs: trialMsOfAll });
  const { suites, problems } = await loadSuites(scope);
  ofDefaults.findings.add(...problems);
  if (suites.every(({ suite }) => suite.status === "ready")) reportUnusedTools(section, sharedTools);
  const parts = [...providers.findings, ...models.findings, ofDefaults.findings];
  const helpers = helpersIn(suites);
  models.reportIdleFallbacks(helpers);
  checkBudget(section, written, suites, helpers);
  const secretNames = [...providers.secretNames, ...scope.secretNames];
  const known = { judge: scope.defaultJudge?.model ?? null, find: finderOf(models) };
  return { section, parts, written, suites, models: known, plugins, secretNames };
}

const noAgents: KnownAgents = { templates: [], models: new Map(), texts: [], unknownTools: [] };

export const noModels: ConfigModels = { judge: null, find: () => failure({ message: "The config has no model" }) };

function finderOf(models: ModelCatalog): ConfigModels["find"] {
  return (name) => {
    const found = models.find(name);
    if ("problem" in found) return failure({ message: found.problem.message, hint: found.problem.hint });
    return "broken" in found ? failure({ message: `The model "${name}" is not valid` }) : success(found.model);
  };
}

/** What can be read of the file. Where some keys are wrong, the others are still looked at. */
function parseConfig(section: Section): WrittenConfig | null {
  const { value } = section;
  if (value === null || value === undefined) {
    report(section, { path: [], message: "The config file is empty", hint: "Run kindlm init for a first config" });
    return null;
  }
  if (!isRecord(value)) {
    report(section, { path: [], message: "A config must be an object", hint: "Start with version: 1" });
    return null;
  }
  const parsed = parseSection(section, configSchema);
  if (parsed.success) return parsed.data;
  const wrong = new Set(parsed.error.map((problem) => problem.path[0]));
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !wrong.has(key)));
  const suites = Array.isArray(rest["suites"]) ? rest["suites"] : [];
  const readable = configSchema.safeParse({ ...rest, version: 1, suites: suites.length > 0 ? suites : [null] });
  if (!readable.success) return null;
  return suites.length > 0 ? readable.data : { ...readable.data, suites: [] };
}

/** A limit that leaves some calls uncounted would be taken for more than it is. */
function checkBudget(
  section: Section,
  written: WrittenConfig,
  suites: readonly LoadedSuite[],
  helpers: ReadonlySet<ResolvedModel>,
): void {
  if (written.limits?.max_cost === undefined) return;
  const unpriced = new Set<string>();
  for (const { suite } of suites) {
    if (suite.status !== "ready") continue;
    for (const model of suite.tests.flatMap((test) => test.models)) if (model.pricing === null) unpriced.add(model.id);
  }
  for (const model of helpers) if (model.pricing === null) unpriced.add(model.id);
  if (unpriced.size === 0) return;
  const names = [...unpriced].map((id) => `"${id}"`).join(", ");
  report(section, {
    path: ["limits", "max_cost"],
    atKey: true,
    severity: "warning",
    message: `"max_cost" does not count the calls to ${names}: their price is not known`,
    hint: "Give the model a pricing: { input, output } in US dollars per million tokens",
  });
}

/** The models that play users, judge, make vectors or are sub-agents. */
function helpersIn(suites: readonly LoadedSuite[]): ReadonlySet<ResolvedModel> {
  const helpers = new Set<ResolvedModel>();
  for (const { suite } of suites) {
    if (suite.status !== "ready") continue;
    for (const { simulatedUser, judges, embedders, agents } of suite.tests) {
      for (const model of agents?.models.values() ?? []) helpers.add(model);
      if (simulatedUser !== null) helpers.add(simulatedUser.model);
      for (const { model } of [...judges.values(), ...embedders.values()]) helpers.add(model);
    }
  }
  return helpers;
}
