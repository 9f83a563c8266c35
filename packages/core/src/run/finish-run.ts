import { assembleResult } from "./assemble-result.js";
import { compareWhenSet } from "../baseline/compare-when-set.js";
import type { RunComparison } from "../summary/comparison-result.js";
import type { EnginePorts } from "../engine/ports.js";
import type { EngineOutcome } from "../engine/run.js";
import type { RunInfo, RunResult, SuiteResult } from "../engine/run-result.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { FullEnvironment } from "./environment-ports.js";
import { closeJournal } from "../journal/close-journal.js";
import type { EarlierRun } from "../journal/earlier-run.js";
import { keepNewestRuns } from "../journal/prune-runs.js";
import type { EndedModule } from "../modules/user-modules.js";
import type { OpenEngine } from "./open-engine.js";
import type { OpenRun } from "./open-run.js";
import type { AgentParts } from "../plan/identity/agent-parts.js";
import type { Identifier } from "../plan/identity/case-identity.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import { suiteGatesOf } from "../plan/suite-gates.js";
import type { Clock } from "../values/clock.js";

export interface FinishedRun {
  options: RunTestsOptions;
  opened: OpenRun;
  engine: OpenEngine;
  outcome: EngineOutcome;
  /** The run that went on; null for a new one. */
  earlier: EarlierRun | null;
  git: RunInfo["git"];
  /** Of this session, milliseconds. */
  durationMs: number;
}

/** Decides the result of the run, notifies its plugins, stores it and releases its folder. */
export async function finishRun(finished: FinishedRun, world: FullEnvironment): Promise<RunResult> {
  const { opened, engine, outcome } = finished;
  const { config, plan, journal } = opened;
  const unkept = await engine.cassette.finish();
  const suiteGates = suiteGatesOf(plan);
  const { gates, exitOn } = plan;
  const rules = { gates, exitOn, comparison: plan.comparison, ...(suiteGates === undefined ? {} : { suiteGates }) };
  const { read } = engine.ports.trials;
  const agents = agentsOf(outcome.suites, opened.identify);
  const comparison = await compare(finished, agents, world);
  const info = infoOf(finished, world.clock);
  const { redact } = world.redactor;
  const findings = {
    ...outcome,
    rules,
    info,
    warnings: plan.warnings,
    read,
    comparison,
    agents,
    redact,
    whyNotCompared: whyNotCompared(finished),
  };
  const result = assembleResult(findings);
  const complaints = (await engine.plugins?.finish(result)) ?? [];
  const ended = tellEnded(await engine.ports.modules.close(), engine.ports);
  const complete = { ...result, warnings: [...result.warnings, ...unkept, ...complaints, ...ended] };
  const kept = await closeJournal(journal, complete, { ...findings, cwd: world.cwd, redactor: world.redactor });
  await keepNewestRuns(plan.root, config.keepRuns, journal.folder, world.clock);
  const { id, interrupted } = findings.info;
  engine.ports.emit({ channel: "progress", type: "run:end", runId: id, interrupted });
  // What happened to the folder is for now; with the next session it may be otherwise.
  return { ...complete, warnings: [...complete.warnings, ...kept] };
}

/** A module that ended its worker is named, whatever the results of the calls. */
function tellEnded(modules: readonly EndedModule[], { emit }: EnginePorts): Diagnostic[] {
  const told = new Map(modules.map(({ what, message, hint }) => [`The ${what} ${message}`, hint]));
  for (const message of told.keys()) {
    emit({ channel: "monitor", type: "error", severity: "warn", phase: "system", message });
  }
  return [...told].map(([message, hint]) => ({ code: "ENGINE_FIXTURE_ERROR", severity: "warning", message, hint }));
}

function agentsOf(suites: readonly SuiteResult[], { agentOf }: Identifier): Record<string, AgentParts> {
  const agents: Record<string, AgentParts> = {};
  for (const test of suites.flatMap(({ tests }) => tests)) {
    if (test.status === "skipped" || agents[test.agentHash] !== undefined) continue;
    const parts = agentOf(test.agentHash);
    if (parts !== null) agents[test.agentHash] = parts;
  }
  return agents;
}

/** A part of a run, or one that was stopped, says nothing of the suites as a whole. */
function whyNotCompared({
  opened,
  outcome,
  options,
}: Pick<FinishedRun, "opened" | "outcome" | "options">): string | null {
  if (options.baseline === false) return "--baseline off";
  if (opened.shard !== null) return "a shard is compared once it is merged";
  return outcome.stoppedBy === null ? null : "it was stopped";
}

async function compare(
  { opened, engine, outcome, options }: FinishedRun,
  agents: Readonly<Record<string, AgentParts>>,
  { redactor }: FullEnvironment,
): Promise<RunComparison | null> {
  const { plan } = opened;
  if (whyNotCompared({ opened, outcome, options }) !== null) return null;
  const { root, comparison: rules } = plan;
  const { read } = engine.ports.trials;
  const { suites } = outcome;
  const since = engine.baselineStamps;
  return compareWhenSet({ root, suites, agents, rules, read, redact: redactor.redact, since });
}

function infoOf({ opened, engine, outcome, earlier, git, durationMs }: FinishedRun, clock: Clock): RunInfo {
  const { header, plan, shard } = opened;
  const info: RunInfo = {
    id: header.runId,
    startedAt: header.startedAt,
    endedAt: new Date(clock.now()).toISOString(),
    durationMs: durationMs + (earlier?.records.durationMs ?? 0),
    seed: plan.seed,
    interrupted: outcome.stoppedBy !== null,
    ...engine.cassette.about,
    project: plan.project,
    git,
  };
  if (earlier !== null) info.resumed = earlier.records.sessions;
  if (shard !== null) info.shard = shard;
  if (header.scored !== undefined) info.scored = header.scored;
  return info;
}
