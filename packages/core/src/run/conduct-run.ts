import { compareWhenSet } from "../baseline/compare-when-set.js";
import type { EngineOutcome } from "../engine/run.js";
import type { RunInfo, RunResult, SuiteResult } from "../engine/run-result.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import { keepNewestRuns } from "../journal/remove-old-runs.js";
import type { EndedModule } from "../modules/user-modules.js";
import { choosesCases } from "../plan/case-filter.js";
import { gateRulesOf } from "../plan/gate-rules.js";
import type { AgentParts } from "../plan/identity/agent-parts.js";
import type { Identifier } from "../plan/identity/case-identity.js";
import { failure, success, type Result } from "../result.js";
import { assembleResult, type RunFindings } from "./assemble-result.js";
import { noteUnkept } from "./unkept-runs.js";
import type { RunWorld } from "./environment.js";
import { openEngine, type OpenEngine } from "./open-engine.js";
import { openRun, type OpenRun, type PlannedRun } from "./open-run.js";
import { runTrials } from "./run-trials.js";
import { askGit, type GitPorts } from "../processes/ask-git.js";
import type { SnapshotWriter } from "../assertions/define-assertion.js";
import { writeAtomically } from "../files/write-atomically.js";
import type { Clock } from "../values/clock.js";
import { warnOfLack } from "../workspace/sandbox/sandbox-lack.js";

/**
 * Conducts a run from its journal to the files that it leaves. Fails when a plugin cannot be used. What is open then, or
 * after a crash in the middle, is closed by the world, which owns it.
 */
export async function conductRun(planned: PlannedRun, world: RunWorld): Promise<Result<RunResult>> {
  const run = openRun(planned, world);
  const startedAt = world.clock.monotonic();
  const opened = await openEngine(run, world);
  if (!opened.success) return opened;
  const engine = opened.data;
  const { emit, modules } = engine.ports;
  const { plan, header } = run;
  const { runId } = header;

  const git = soonOrWhenNeeded(world.clock, () => readGit(world, plan.root));
  const counts = { suites: plan.suites.length, cases: plan.caseCount, trials: plan.trialCount };
  const { concurrency, maxCostUsd } = plan;
  emit({ channel: "progress", type: "run:start", runId, ...counts, concurrency, maxCostUsd });
  const writeSnapshot = run.options.updateSnapshots === true ? snapshotWriter(world) : null;
  const outcome = await runTrials(plan, {
    runId,
    ports: engine.ports,
    signal: world.signal,
    what: "run",
    writeSnapshot,
  });
  const durationMs = world.clock.monotonic() - startedAt;
  const unrecorded = await engine.cassette.finish();

  const findings = await findingsOf(run, engine, outcome, { durationMs, git: await git() }, world);
  const result = await assembleResult(findings);
  const complaints = (await engine.plugins?.finish(result)) ?? [];
  const unsent = (await engine.spans?.finish(result)) ?? [];
  const ended = warnOfEnded(await modules.close());
  for (const { message } of ended)
    emit({ channel: "monitor", type: "error", severity: "warn", phase: "system", message });
  const bare = outcome.sandboxLack === null ? [] : [warnOfLack(outcome.sandboxLack)];
  const complete = {
    ...result,
    warnings: [...result.warnings, ...unrecorded, ...complaints, ...unsent, ...ended, ...bare],
  };

  const unkept = await storeRun(run, complete, findings, outcome.storeError);
  await keepNewestRuns(plan.root, run.config.keepRuns, run.journal.folder, world.clock);
  emit({ channel: "progress", type: "run:end", runId, interrupted: result.run.interrupted });
  // These warnings are not stored: the next session may be able to write the folder.
  const final = { ...complete, warnings: [...complete.warnings, ...unkept] };
  if (unkept.length > 0) noteUnkept(final, findings);
  return success(final);
}

/** What the result is made of: the cases, what they are compared with and what they are judged by. */
async function findingsOf(
  run: OpenRun,
  { ports, cassette, baselineStamps }: OpenEngine,
  outcome: EngineOutcome,
  measured: Pick<RunInfo, "durationMs" | "git">,
  { clock, redactor }: RunWorld,
): Promise<RunFindings> {
  const { plan, earlier, header, shard, identify, recorded } = run;
  const { root, seed, project, exitOn, comparison: rules, warnings } = plan;
  const { suites, stoppedBy } = outcome;
  const { read } = ports.trials;
  const { redact } = redactor;
  const agents = agentsOf(suites, identify);
  const whyNotCompared = whyNotComparedOf(run, outcome);
  const compared = { root, suites, agents, rules, read, redact, since: baselineStamps };
  const comparison = whyNotCompared === null ? await compareWhenSet(compared) : null;
  const info: RunInfo = {
    id: header.runId,
    startedAt: header.startedAt,
    endedAt: new Date(clock.now()).toISOString(),
    durationMs: measured.durationMs + (earlier?.records.durationMs ?? 0),
    seed,
    interrupted: stoppedBy !== null,
    ...cassette.about,
    project,
    git: measured.git,
  };
  if (earlier !== null) info.resumed = earlier.records.sessions;
  if (recorded?.source === null) {
    const { carried: trials, ...others } = outcome.origins;
    info.carried = { trials, ...others, paidUsd: outcome.paidUsd };
  }
  if (shard !== null) info.shard = shard;
  if (header.scored !== undefined) info.scored = header.scored;
  const { gates, ...ofSuites } = gateRulesOf(plan);
  const judgedBy = { gates, exitOn, comparison: rules, ...ofSuites };
  const mayDecide = ports.extraTrials?.kind === "further" && whyNotCompared === null;
  const undecided = mayDecide && comparison === null ? [nothingToDecide] : [];
  const unused = ranWhole(run, outcome) ? outcome.unusedApprovals : [];
  return {
    ...outcome,
    rules: judgedBy,
    info,
    warnings: [...warnings, ...unused, ...undecided, ...outcome.gatewayLosses, ...outcome.strayedSpans],
    read,
    comparison,
    agents,
    redact,
    whyNotCompared,
  };
}

/** A part of a run, or one that was stopped, does not represent its suites as a whole. */
function whyNotComparedOf({ options, shard }: OpenRun, { stoppedBy }: EngineOutcome): string | null {
  if (options.baseline === false) return "--baseline off";
  if (shard !== null) return "a shard is compared after the merge";
  return stoppedBy === null ? null : "it was stopped";
}

/** A run of some tests leaves entries unused that the others need. */
function ranWhole({ options, shard }: OpenRun, { stoppedBy, haltedBy }: EngineOutcome): boolean {
  return !choosesCases(options.filters) && shard === null && stoppedBy === null && haltedBy === null;
}

const nothingToDecide: Diagnostic = {
  code: "BASELINE_NOT_FOUND",
  severity: "warning",
  message: "No baseline to compare with, so no case had more trials than its fewest",
  hint: "Save the last run as the baseline: kindlm baseline set",
};

function agentsOf(suites: readonly SuiteResult[], { agentOf }: Identifier): Record<string, AgentParts> {
  const agents: Record<string, AgentParts> = {};
  for (const test of suites.flatMap(({ tests }) => tests)) {
    if (test.status === "skipped" || agents[test.agentHash] !== undefined) continue;
    const parts = agentOf(test.agentHash);
    if (parts !== null) agents[test.agentHash] = parts;
  }
  return agents;
}

/** A module that ended its worker is named, whatever the results of the calls. */
function warnOfEnded(modules: readonly EndedModule[]): Diagnostic[] {
  const hints = new Map(modules.map(({ what, message, hint }) => [`The ${what} ${message}`, hint]));
  return [...hints].map(([message, hint]) => ({ code: "ENGINE_FIXTURE_ERROR", severity: "warning", message, hint }));
}

/**
 * Stores the result and releases the run folder. The warnings say what could not be written; there is at
 * most one, since all of it goes to one disk.
 */
async function storeRun(
  { journal }: OpenRun,
  { suites, trials: _left, ...found }: RunResult,
  { rules, haltedBy }: RunFindings,
  storeError: KindlmError | null,
): Promise<readonly Diagnostic[]> {
  const run = { head: { ...found, rules, haltedBy }, suites };
  const written = storeError === null ? await journal.writeResult(run) : failure(storeError);
  await journal.close();
  if (written.success) return [];
  const { code, message } = written.error;
  const hint = "The run continued without its journal, so it cannot be resumed or reported later";
  return [{ code, severity: "warning", message, hint }];
}

/** To start a program takes longer than to send a request, so that the first requests come first. */
const soonMs = 25;

/** Begins an action while the first answers are awaited, or when its result is needed. */
function soonOrWhenNeeded<T>(clock: Pick<Clock, "after">, action: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | null = null;
  const begin = (): Promise<T> => (begun ??= action());
  const cancel = clock.after(soonMs, () => void begin());
  return () => {
    cancel();
    return begin();
  };
}

/** Commit, branch and whether tracked files are changed; null if git does not say. */
async function readGit(ports: GitPorts, cwd: string): Promise<RunInfo["git"]> {
  const status = await askGit(["status", "--porcelain=v2", "--branch", "--untracked-files=no"], ports, cwd);
  return status === null ? null : parseGitStatus(status);
}

export function parseGitStatus(text: string): RunInfo["git"] {
  const commit = /^# branch\.oid ([0-9a-f]+)$/m.exec(text)?.[1];
  if (commit === undefined) return null;
  const head = /^# branch\.head (.+)$/m.exec(text)?.[1] ?? null;
  return { commit, branch: head === "(detached)" ? null : head, dirty: /^[12u] /m.test(text) };
}

function snapshotWriter({ redactor }: Pick<RunWorld, "redactor">): SnapshotWriter {
  return (file, text) => writeAtomically(file, file, [redactor.redactJson(text)]);
}
