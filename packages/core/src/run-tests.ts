import { randomBytes } from "node:crypto";
import { createAssertionContext } from "./assertions/create-context.js";
import { createEventStream, type RunEventListener } from "./engine/create-event-stream.js";
import { createMemoryTrialStore } from "./engine/memory-trial-store.js";
import type { EnginePorts } from "./engine/ports.js";
import { readGit } from "./engine/read-git.js";
import { run, type EngineOutcome } from "./engine/run.js";
import type { RunInfo, RunResult, TrialResult } from "./engine/run-result.js";
import { summarize } from "./engine/summarize.js";
import { createStopSwitch, type StopSwitch } from "./engine/trial-deadline.js";
import type { ResolvedConfig } from "./config/resolved-config.js";
import { completeEnvironment } from "./environment-ports.js";
import type { Environment } from "./environment.js";
import { kindlmError } from "./errors/kindlm-error.js";
import { createExportLoader } from "./modules/create-export-loader.js";
import { decideGates } from "./gates/decide-gates.js";
import { decideRunVerdict } from "./gates/decide-run-verdict.js";
import type { RunPlan } from "./plan/run-plan.js";
import type { PluginPorts, RunPlugins } from "./plugins/open-plugins.js";
import { preparePlan } from "./prepare-plan.js";
import { success, type Result } from "./result.js";
import type { ListedCase } from "./validate-config-report.js";
import type { RunTestsOptions } from "./run-options.js";
import { kindlmVersion } from "./version.js";

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
  const prepared = await preparePlan(options, world);
  if (!prepared.success) return prepared;
  const { config, plan } = prepared.data;
  const startedAt = world.clock.now();
  const startedMonotonic = world.clock.monotonic();
  const id = createRunId(startedAt);
  const loadExport = createExportLoader();
  const opened = await openPluginsOf(config, options, {
    clock: world.clock,
    runId: id,
    loadExport,
    redact: world.redactor.redact,
    signal: world.signal,
    emit: (event) => ports.emit(event),
  });
  if (!opened.success) return opened;
  const plugins = opened.data;
  const git = readGit(world.processes, plan.root, environment.env, world.signal);
  const stop = createStopSwitch();
  const unlisten = linkSignal(world.signal, stop);
  const trials = createMemoryTrialStore();
  const ports: EnginePorts = {
    clock: world.clock,
    http: world.http,
    processes: world.processes,
    env: config.env,
    loadExport,
    trials: plugins === null ? trials : plugins.watchTrials(trials),
    toolHooks: plugins?.toolHooks ?? null,
    emit: createEventStream(
      [onEvent, plugins?.listener].filter((listener) => listener !== undefined && listener !== null),
      world.clock,
    ),
  };
  const counts = { suites: plan.suites.length, cases: plan.caseCount, trials: plan.trialCount };
  ports.emit({ channel: "progress", type: "run:start", runId: id, ...counts });
  const outcome = await run(plan, id, ports, stop, createAssertionContext(ports));
  unlisten();
  if (environment.http === undefined) await world.http.close();
  const info: RunInfo = {
    id,
    startedAt: new Date(startedAt).toISOString(),
    endedAt: new Date(world.clock.now()).toISOString(),
    durationMs: world.clock.monotonic() - startedMonotonic,
    seed: plan.seed,
    interrupted: outcome.stoppedBy !== null,
    project: plan.project,
    git: await git,
  };
  const result = toRunResult(plan, outcome, info, ports.trials.read);
  const complaints = plugins === null ? [] : await plugins.finish(result);
  ports.emit({ channel: "progress", type: "run:end", runId: id, interrupted: outcome.stoppedBy !== null });
  return success(complaints.length === 0 ? result : { ...result, warnings: [...result.warnings, ...complaints] });
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

/** The cases that a run would have, in its order. */
export async function listCases(
  options: RunTestsOptions,
  environment: Environment,
): Promise<Result<readonly ListedCase[]>> {
  const prepared = await preparePlan(options, environment);
  if (!prepared.success) return prepared;
  const listed: ListedCase[] = [];
  for (const { id, suite, test, agentId, row, prompt, fault, runs, skip } of prepared.data.plan.cases()) {
    const shared = { id, suite, name: test.name, model: agentId, tags: test.tags, runs, skip };
    listed.push({ ...shared, row: row?.key ?? null, prompt: prompt.id, fault: fault.id });
  }
  for (const broken of prepared.data.plan.suites) {
    if (broken.status !== "broken") continue;
    for (const { id, name, model, row, fault, tags } of broken.cases) {
      const skip = `the suite is broken: ${broken.error.message}`;
      listed.push({ id, suite: broken.name, name, model, row, prompt: null, fault, tags, runs: 1, skip });
    }
  }
  return success(listed);
}

function toRunResult(
  plan: RunPlan,
  outcome: EngineOutcome,
  info: RunInfo,
  read: (caseId: string) => AsyncIterable<TrialResult>,
): RunResult {
  const { suites, ranCases } = outcome;
  const summary = summarize(suites, outcome.totals);
  const gates = decideGates(plan.gates, summary);
  const verdict = decideRunVerdict({
    suites,
    summary,
    gates,
    exitOn: plan.exitOn,
    stoppedBy: outcome.stoppedBy,
    haltedBy: outcome.haltedBy,
  });
  return {
    kindlm: kindlmVersion,
    ...verdict,
    run: info,
    summary,
    gates,
    suites,
    warnings: plan.warnings,
    async *trials(caseId) {
      for (const id of caseId === undefined ? ranCases : [caseId]) yield* read(id);
    },
  };
}

/** Sortable by time, and unique among runs that start in the same second. */
function createRunId(startedAt: number): string {
  const stamp = new Date(startedAt).toISOString().replaceAll(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${stamp}-${randomBytes(3).toString("hex")}`;
}

function linkSignal(signal: AbortSignal | null, stop: StopSwitch): () => void {
  if (signal === null) return () => undefined;
  const onAbort = (): void => stop.stop(kindlmError("ENGINE_ABORTED", "The run was interrupted"));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return () => signal.removeEventListener("abort", onAbort);
}
