import { stampBaselines, type BaselineStamps } from "../baseline/baseline-stamps.js";
import { openRunCassette, type CassetteOfRun } from "../cassette/open-run-cassette.js";
import type { ResolvedConfig } from "../config/resolved-config.js";
import { createEventStream } from "../engine/create-event-stream.js";
import type { EnginePorts, ExtraTrials, BaselineAnswers, TrialStore } from "../engine/ports.js";
import type { RunWorld } from "./environment.js";
import type { UserModules } from "../modules/user-modules.js";
import type { OpenRun } from "./open-run.js";
import type { PluginPorts, RunPlugins } from "../plugins/open-plugins.js";
import { withModules } from "../providers/http/transport.js";
import { success, type Result, failure } from "../result.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import type { SpanExport } from "../span-export/create-span-export.js";
import type { Redactor } from "../redaction/redactor.js";
import { baselinePlace } from "../baseline/baseline-place.js";
import type { LoadedBaseline } from "../baseline/load-baseline.js";

/** Everything that the engine acts through, and what stands between it and the world. */
export interface OpenEngine {
  ports: EnginePorts;
  /** Null when the run has none. */
  plugins: RunPlugins | null;
  /** Null unless the spans of the run are sent. */
  spans: SpanExport | null;
  cassette: CassetteOfRun;
  /** Of the baselines of the suites, before anything ran. */
  baselineStamps: BaselineStamps;
}

/** With what a job uploads, or gets a token to upload: none of the secrets that tools and agents need. */
const noUploads = {
  KINDLM_TOKEN: undefined,
  ACTIONS_ID_TOKEN_REQUEST_URL: undefined,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: undefined,
};

/** Puts plugins, cassettes and journal between the engine and the world. Fails when a plugin cannot be used. */
export async function openEngine(
  { options, config, plan, header, journal, identify, shard, recorded, replay }: OpenRun,
  world: RunWorld,
): Promise<Result<OpenEngine>> {
  const { clock, redactor } = world;
  const modules = world.openModules();
  const emit: EnginePorts["emit"] = (event, happenedAt) => ports.emit(event, happenedAt);
  const { signal } = world;
  const ofPlugins = { clock, runId: header.runId, modules, redact: redactor.redact, signal, emit };
  const opened = await openPluginsOf(config, options, ofPlugins);
  if (!opened.success) return opened;
  // Plugins do not follow a replay that only finds something out.
  const plugins = replay === undefined ? opened.data : null;
  const http = withModules(world.http, modules);
  const spans = replay === undefined ? await openSpans(world, header.runId) : null;
  const baselineStamps = await stampBaselines(
    plan.root,
    plan.suites.map(({ name }) => redactor.redact(name)),
  );
  const wish = { plan, config, options, misses: replay };
  const cassette = await openRunCassette(wish, journal.trials, { clock, http, redactor, emit });
  const ports: EnginePorts = {
    clock,
    http: cassette.http,
    cassette: cassette.cassette,
    processes: world.processes,
    env: { ...config.env, ...noUploads },
    modules,
    trials: watched(cassette.trials, [plugins, spans]),
    identify,
    baselineAnswers: createBaselineAnswers(plan.root, redactor.redact, baselineStamps),
    toolHooks: opened.data?.toolHooks ?? null,
    emit: createEventStream(
      [world.onEvent, plugins?.listener].filter((listener) => listener !== undefined && listener !== null),
      clock,
    ),
  };
  const earlier = recorded?.trials ?? journal.earlier;
  if (earlier !== undefined) ports.earlier = earlier;
  if (journal.effects !== undefined) ports.effects = journal.effects;
  const kind = options.confirm === true ? "confirm" : plan.maxTrialCount === undefined ? null : "further";
  if (kind !== null && options.baseline !== false && shard === null && recorded === undefined) {
    const { root, comparison: rules } = plan;
    const { read } = ports.trials;
    const { redact } = redactor;
    const next: ExtraTrials["next"] = async (suites) => {
      const { findSuspects, findUndecided } = await import("../baseline/compare-run.js");
      const find = kind === "confirm" ? findSuspects : findUndecided;
      return find({ root, suites, agents: {}, rules, read, redact, since: baselineStamps });
    };
    ports.extraTrials = { kind, next };
  }
  return success({ ports, plugins, spans, cassette, baselineStamps });
}

/** What follows the trials, the last around the others. */
function watched(
  trials: TrialStore,
  watchers: readonly ({ watchTrials(store: TrialStore): TrialStore } | null)[],
): TrialStore {
  return watchers.reduce((store, watcher) => watcher?.watchTrials(store) ?? store, trials);
}

/** Null when nobody wants spans; then nothing of them is loaded either. */
async function openSpans(
  { spans, http, clock, redactor, signal }: RunWorld,
  runId: string,
): Promise<SpanExport | null> {
  if (spans === undefined) return null;
  const { createSpanExport } = await import("../span-export/create-span-export.js");
  return createSpanExport(spans, { http, clock, redactor, signal, runId });
}

/** Null when the run has no plugins; then nothing of them is loaded either. */
async function openPluginsOf(
  config: ResolvedConfig,
  options: RunTestsOptions,
  { modules, ...ports }: Omit<PluginPorts, "loadPlugin"> & { modules: UserModules },
): Promise<Result<RunPlugins | null>> {
  if (config.plugins.length === 0 || options.plugins === false) return success(null);
  const { openPlugins } = await import("../plugins/open-plugins.js");
  const { createPluginLoader } = await import("../plugins/create-plugin-loader.js");
  return openPlugins(config, { ...ports, loadPlugin: createPluginLoader(modules) });
}

/** Reads the baseline of each suite once, when it is first needed. `root`: the folder that contains `.kindlm`. */
export function createBaselineAnswers(
  root: string,
  redact: Redactor["redact"],
  since?: BaselineStamps,
): BaselineAnswers {
  const loading = new Map<string, Promise<LoadedBaseline>>();
  const load = async (suite: string): Promise<LoadedBaseline> => {
    const { loadBaseline } = await import("../baseline/load-baseline.js");
    return loadBaseline(baselinePlace(root, redact(suite)), since);
  };
  return {
    async answerOf(suite, caseId) {
      let loaded = loading.get(suite);
      if (loaded === undefined) loading.set(suite, (loaded = load(suite)));
      const found = await loaded;
      if (found.status === "none") return success(null);
      if (found.status === "unusable") return failure(found.error);
      return success(found.baseline.entries.get(redact(caseId))?.output ?? null);
    },
  };
}
