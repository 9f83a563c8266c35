import { builtinThreshold } from "../assertions/judging/judge-votes.js";
import { openRunCassette } from "../cassette/open-run-cassette.js";
import { createEventStream } from "../engine/create-event-stream.js";
import type { EnginePorts, TrialStore } from "../engine/ports.js";
import type { EngineOutcome } from "../engine/run.js";
import type { TrialResult } from "../engine/run-result.js";
import { withRunWorld, type Environment, type RunWorld, type World } from "../run/environment.js";
import type { Diagnostic } from "../errors/error-table.js";
import { unidentified } from "../plan/identity/case-identity.js";
import { preparePlan } from "../run/prepare-plan.js";
import { withModules } from "../providers/http/transport.js";
import { runTrials } from "../run/run-trials.js";
import { success, type Result } from "../result.js";
import type { CalibrateOptions } from "../calibrate/calibrate-options.js";
import type { CalibrationReport } from "../calibrate/calibration-report.js";
import { planCalibration, type CalibrationPlan } from "../calibrate/plan-calibration.js";
import { findTask } from "../calibrate/find-task.js";
import { readLabels } from "../calibrate/read-labels.js";
import { toReport } from "../calibrate/to-report.js";

export type { CalibrateOptions } from "../calibrate/calibrate-options.js";
export type { CalibrationReport, Disagreement, LabelPlace, Verdict } from "../calibrate/calibration-report.js";

/**
 * Has a judge score what people have labeled, and reports how well they agree. Calls no other model, and keeps nothing but
 * recordings where those are asked for. Fails with TRANSCRIPT_INVALID when a line of labels cannot be used, which shows
 * of all such lines, and where the config cannot be used or names no judge.
 */
export function calibrateJudge(
  options: CalibrateOptions,
  environment: Environment = {},
): Promise<Result<CalibrationReport>> {
  return withRunWorld(environment, (world) => calibrateIn(world, options));
}

async function calibrateIn(world: RunWorld, options: CalibrateOptions): Promise<Result<CalibrationReport>> {
  const prepared = await preparePlan(wantedOf(options), world);
  if (!prepared.success) return prepared;
  const task = findTask(prepared.data.config, prepared.data.plan, options);
  if (!task.success) return task;
  const labels = await readLabels(options.labels, world.cwd);
  if (!labels.success) return labels;
  const planned = planCalibration(labels.data, task.data, prepared.data);
  if (!planned.success) return planned;
  const judged = await judgeLabels(planned.data, prepared.data.config, options, world);
  const { samples } = task.data.options;
  const about = { judge: task.data.judge.id, samples: typeof samples === "number" ? samples : 1 };
  return success(
    toReport(planned.data.labels, { ...judged, ...about, threshold: thresholdOf(task.data.options) }, options),
  );
}

interface Judged {
  outcome: EngineOutcome;
  /** By the ids of their cases. */
  trials: ReadonlyMap<string, TrialResult>;
  warnings: readonly Diagnostic[];
}

async function judgeLabels(
  { plan, trials: earlier }: CalibrationPlan,
  config: Parameters<typeof openRunCassette>[0]["config"] & Pick<EnginePorts, "env">,
  options: CalibrateOptions,
  world: World,
): Promise<Judged> {
  const { clock, redactor, signal, onEvent } = world;
  const modules = world.openModules();
  const trials = new Map<string, TrialResult>();
  const emit: EnginePorts["emit"] = createEventStream(onEvent === undefined ? [] : [onEvent], clock);
  const cassette = await openRunCassette({ plan, config, options }, collectorOf(trials), {
    clock,
    http: withModules(world.http, modules),
    redactor,
    emit,
  });
  // To the cassette these are trials like any other: nothing of them was recorded elsewhere.
  const append: TrialStore["append"] = (trial, planned) => cassette.trials.append(trial, planned, "run");
  const ports: EnginePorts = {
    clock,
    http: cassette.http,
    cassette: cassette.cassette,
    processes: world.processes,
    env: config.env,
    modules,
    trials: { ...cassette.trials, append },
    identify: () => unidentified,
    earlier,
    emit,
  };
  const counts = { suites: 1, cases: plan.caseCount, trials: plan.trialCount };
  const { concurrency, maxCostUsd } = plan;
  emit({ channel: "progress", type: "run:start", runId: "calibration", ...counts, concurrency, maxCostUsd });
  const outcome = await runTrials(plan, { runId: "calibration", ports, signal });
  await modules.close();
  const warnings = await cassette.finish();
  emit({ channel: "progress", type: "run:end", runId: "calibration", interrupted: outcome.stoppedBy !== null });
  return { outcome, trials, warnings };
}

function collectorOf(trials: Map<string, TrialResult>): TrialStore {
  return {
    append(trial) {
      trials.set(trial.caseId, trial);
      return success(undefined);
    },
    flush: () => Promise.resolve(),
    async *read(caseId) {
      const trial = trials.get(caseId);
      if (trial !== undefined) yield trial;
    },
  };
}

function wantedOf({ paths, root, ci, concurrency, maxCostUsd }: CalibrateOptions): Parameters<typeof preparePlan>[0] {
  return {
    paths,
    ...(root === undefined ? {} : { root }),
    ...(ci === undefined ? {} : { ci }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
  };
}

function thresholdOf({ threshold }: Readonly<Record<string, unknown>>): number {
  return typeof threshold === "number" ? threshold : builtinThreshold;
}
