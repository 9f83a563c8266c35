import { tmpdir } from "node:os";
import type { Diagnostic } from "../errors/error-table.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import type { RunPlan } from "../plan/run-plan.js";
import { createBudget } from "../resilience/budget.js";
import type { RunTotals, SuiteTotals } from "../summary/run-totals.js";
import { createGatewayServer } from "../targets/gateway/create-gateway-server.js";
import { createTraceServer } from "../targets/traces/create-trace-server.js";
import { renderDuration } from "../values/duration.js";
import { createWorkspaces, type Workspaces } from "../workspace/create-workspaces.js";
import { warnOfLack, type SandboxLack } from "../workspace/sandbox/sandbox-lack.js";
import { caseTasks, type CaseTaskSettings } from "./case-tasks.js";
import type { RepetitionSettings } from "./extra-trials/repeat-cases.js";
import { runExtraTrials } from "./extra-trials/run-extra-trials.js";
import { createToolOpener } from "./create-tool-opener.js";
import { Endpoints } from "./endpoints.js";
import { makeTrial } from "./make-trial.js";
import type { EnginePorts } from "./ports.js";
import type { RunAbort } from "./run-abort.js";
import type { RunContext } from "./run-context.js";
import { RunHalt } from "./run-halt.js";
import { RunRecords } from "./run-records.js";
import type { SuiteResult } from "./run-result.js";
import { schedule } from "./schedule.js";
import { createDeadlines } from "./trial-deadline.js";

/** What the engine found out, before gates and verdict. */
export interface EngineOutcome {
  suites: readonly SuiteResult[];
  totals: RunTotals;
  /** Of the suites that have a trial. */
  suiteTotals: ReadonlyMap<string, SuiteTotals>;
  /** Ids of the cases that ran, in the order of the config. */
  ranCases: readonly string[];
  /** What stopped the run before its end; null when it went through. */
  stoppedBy: KindlmError | null;
  /** Why the last cases were not dispatched: `--bail`, the budget, or filters; null if all were. */
  haltedBy: string | null;
  /** Why finished trials could not be kept on the disk; null when they could. */
  storeError: KindlmError | null;
  /** Entries of `approvals` that answered no call. */
  unusedApprovals: readonly Diagnostic[];
  /** What models did not get of the requests of agents. */
  gatewayLosses: readonly Diagnostic[];
  /** Spans of agents that were evaluated for no trial. */
  strayedSpans: readonly Diagnostic[];
  /** See {@link RunRecords.origins}. */
  origins: RunRecords["origins"];
  /** What this session of the run paid, US dollars, as far as prices are known. */
  paidUsd: number;
  /** What the sandboxes of workspaces lacked; null if nothing, or there were none. */
  sandboxLack: SandboxLack | null;
}

/** Runs every case of the plan. Never rejects; a store that fails is reported once and the run goes on. */
export async function run(
  plan: RunPlan,
  runId: string,
  ports: EnginePorts,
  stop: RunAbort,
  assertions: RunContext["assertions"],
): Promise<EngineOutcome> {
  const { clock, emit, earlier } = ports;
  const endpoints = new Endpoints(plan, ports);
  const budget = createBudget(plan.maxCostUsd, () => endpoints.release());
  const tools = createToolOpener(ports);
  const workspaces = createWorkspaces(ports.env["TMPDIR"] ?? tmpdir(), ports);
  const [gateway, traces] = [createGatewayServer(), createTraceServer()];
  const context: RunContext = {
    clock,
    runId,
    seed: plan.seed,
    openDeadline: createDeadlines(clock, stop),
    emit,
    assertions,
    targets: { ...ports, gateway, traces },
    routeOf: (planned) => endpoints.routeOf(planned),
    routeThrough: (models) => endpoints.routeThrough(models),
    budget,
    baselineAnswers: ports.baselineAnswers ?? null,
    tools,
    workspaces,
  };
  const halt = new RunHalt(plan, stop, budget);
  const records = new RunRecords(plan, ports, halt);
  const make: RepetitionSettings["make"] = (progress, trial, before) => makeTrial(progress, trial, before, context);
  const completeTrial: CaseTaskSettings["completeTrial"] = async (progress, trial, before) =>
    records.keep(progress, await make(progress, trial, before));

  const cancelDeadline =
    plan.runTimeoutMs === null ? null : clock.after(plan.runTimeoutMs, () => stop.stop(runTimeout(plan)));
  if (earlier !== undefined) budget.spend(earlier.spentUsd);
  await schedule(caseTasks({ plan, earlier, halt, records, completeTrial }), plan.concurrency);
  await records.settled();
  const suites = await withExtraTrials(plan, ports, { halt, records, make });
  await records.settled();
  records.addReplaced(earlier?.left() ?? []);
  cancelDeadline?.();
  for (const opened of [gateway, traces, tools, workspaces]) await opened.close();
  const { ranCases, storeError, origins, approvals, gatewayLosses } = records;
  return {
    suites,
    ...records.sums(endpoints.settled()),
    ranCases,
    stoppedBy: halt.stoppedBy,
    haltedBy: halt.haltedBy,
    storeError,
    unusedApprovals: approvals.warnings(),
    gatewayLosses,
    strayedSpans: traces.warnings(),
    origins,
    paidUsd: budget.spentUsd - (earlier?.spentUsd ?? 0),
    sandboxLack: reportLack(workspaces, emit),
  };
}

/** The suites of the run, after the trials that are worth running once all cases are decided. */
async function withExtraTrials(
  plan: RunPlan,
  { extraTrials, earlier, emit }: EnginePorts,
  { halt, records, make }: { halt: RunHalt; records: RunRecords; make: RepetitionSettings["make"] },
): Promise<readonly SuiteResult[]> {
  const suites = records.suites();
  if (extraTrials === undefined || halt.stoppedBy !== null) return suites;
  return runExtraTrials(suites, extraTrials, {
    plan,
    earlier,
    emit,
    isHalted: () => halt.whyHalted() !== null,
    make,
    keep: (made, planned) => records.keepExtra(made, planned),
    takeOver: (planned, trial) => records.takeOverExtra(planned, trial),
  });
}

function reportLack({ sandboxLack }: Workspaces, emit: EnginePorts["emit"]): SandboxLack | null {
  if (sandboxLack !== null) {
    const { message } = warnOfLack(sandboxLack);
    emit({ channel: "monitor", type: "error", severity: "warn", phase: "sandbox", message });
  }
  return sandboxLack;
}

function runTimeout(plan: RunPlan): KindlmError {
  const ms = plan.runTimeoutMs ?? 0;
  return kindlmError("ENGINE_TIMEOUT", `The run took longer than ${renderDuration(ms)}`, {
    details: { scope: "run", ms },
  });
}
