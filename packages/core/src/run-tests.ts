import { assembleResult } from "./assemble-result.js";
import { createAssertionContext } from "./assertions/create-context.js";
import { beginRun } from "./begin-run.js";
import type { ResolvedConfig } from "./config/resolved-config.js";
import { openRunCassette } from "./cassette/open-run-cassette.js";
import { createEventStream, type RunEventListener } from "./engine/create-event-stream.js";
import type { EnginePorts } from "./engine/ports.js";
import { readGit } from "./engine/read-git.js";
import { run } from "./engine/run.js";
import type { RunInfo, RunResult } from "./engine/run-result.js";
import { createStopSwitch, type StopSwitch } from "./engine/trial-deadline.js";
import { completeEnvironment } from "./environment-ports.js";
import type { Environment } from "./environment.js";
import { kindlmError } from "./errors/kindlm-error.js";
import { closeJournal } from "./journal/close-journal.js";
import { keepNewestRuns } from "./journal/prune-runs.js";
import { createExportLoader } from "./modules/create-export-loader.js";
import { openRun } from "./open-run.js";
import type { PluginPorts, RunPlugins } from "./plugins/open-plugins.js";
import { success, type Result } from "./result.js";
import type { RunTestsOptions } from "./run-options.js";

/**
 * Runs the tests of one or several configs. Never rejects: what goes wrong in a test is in the result; only what keeps
 * the whole run from starting (a missing or invalid config, a filter that names nothing) is an error.
 */
export async function runTests(
  options: RunTestsOptions,
  environment: Environment,
  onEvent?: RunEventListener,
): Promise<Result<RunResult>> {
  const world = completeEnvironment(environment);
  const begun = await beginRun(options, world);
  if (!begun.success) return begun;
  const { earlier } = begun.data;
  const opened = await openRun(begun.data, world);
  if (!opened.success) {
    await earlier?.lock?.release();
    return opened;
  }
  const { config, plan, header, journal, shard } = opened.data;
  const id = header.runId;
  const startedMonotonic = world.clock.monotonic();
  const loadExport = createExportLoader();
  const withPlugins = await openPluginsOf(config, begun.data.options, {
    clock: world.clock,
    runId: id,
    loadExport,
    redact: world.redactor.redact,
    signal: world.signal,
    emit: (event) => ports.emit(event),
  });
  if (!withPlugins.success) {
    await journal.close();
    return withPlugins;
  }
  const plugins = withPlugins.data;
  const git = readGit(world.processes, plan.root, environment.env, world.signal);
  const stop = createStopSwitch();
  const unlisten = linkSignal(world.signal, stop);
  const { cassette: mode = config.cassette, cassetteLatency: latency } = begun.data.options;
  const taped = await openRunCassette(plan, { mode, latency }, journal.trials, {
    clock: world.clock,
    http: world.http,
    redactor: world.redactor,
    emit: (event) => ports.emit(event),
  });
  const ports: EnginePorts = {
    clock: world.clock,
    http: taped.http,
    cassette: taped.cassette,
    processes: world.processes,
    env: config.env,
    loadExport,
    trials: plugins === null ? taped.trials : plugins.watchTrials(taped.trials),
    toolHooks: plugins?.toolHooks ?? null,
    emit: createEventStream(
      [onEvent, plugins?.listener].filter((listener) => listener !== undefined && listener !== null),
      world.clock,
    ),
  };
  if (journal.earlier !== undefined) ports.earlier = journal.earlier;
  if (journal.effects !== undefined) ports.effects = journal.effects;
  const counts = { suites: plan.suites.length, cases: plan.caseCount, trials: plan.trialCount };
  ports.emit({ channel: "progress", type: "run:start", runId: id, ...counts });
  const outcome = await run(plan, id, ports, stop, createAssertionContext(ports));
  unlisten();
  const unkept = await taped.finish();
  if (environment.http === undefined) await world.http.close();
  const info: RunInfo = {
    id,
    startedAt: header.startedAt,
    endedAt: new Date(world.clock.now()).toISOString(),
    durationMs: world.clock.monotonic() - startedMonotonic + (earlier?.records.durationMs ?? 0),
    seed: plan.seed,
    interrupted: outcome.stoppedBy !== null,
    ...taped.about,
    project: plan.project,
    git: await git,
  };
  if (earlier !== null) info.resumed = earlier.records.sessions;
  if (shard !== null) info.shard = shard;
  const rules = { gates: plan.gates, exitOn: plan.exitOn };
  const findings = { ...outcome, rules, info, warnings: plan.warnings, read: ports.trials.read };
  const result = assembleResult(findings);
  const complaints = [...unkept, ...(plugins === null ? [] : await plugins.finish(result))];
  const complete = { ...result, warnings: [...result.warnings, ...complaints] };
  const kept = await closeJournal(journal, complete, { ...findings, cwd: world.cwd, redactor: world.redactor });
  if (journal.folder !== null && config.keepRuns !== null) {
    await keepNewestRuns(plan.root, config.keepRuns, journal.folder.id, world.clock);
  }
  ports.emit({ channel: "progress", type: "run:end", runId: id, interrupted: outcome.stoppedBy !== null });
  return success({ ...complete, warnings: [...complete.warnings, ...kept] });
}

/** Null when the run has no plug-ins; then nothing of them is loaded either. */
async function openPluginsOf(
  config: ResolvedConfig,
  options: RunTestsOptions,
  ports: PluginPorts,
): Promise<Result<RunPlugins | null>> {
  if (config.plugins.length === 0 || options.plugins === false) return success(null);
  const { openPlugins } = await import("./plugins/open-plugins.js");
  return openPlugins(config, ports);
}

function linkSignal(signal: AbortSignal | null, stop: StopSwitch): () => void {
  if (signal === null) return () => undefined;
  const onAbort = (): void => stop.stop(kindlmError("ENGINE_ABORTED", "The run was interrupted"));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return () => signal.removeEventListener("abort", onAbort);
}
