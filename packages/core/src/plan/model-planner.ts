import type { AuxiliaryModels } from "../config/auxiliary-model.js";
import type { ResolvedConfig, ResolvedTest, Timeouts } from "../config/resolved-config.js";
import type { ResolvedModel } from "../config/resolved-model.js";
import { retryPresets } from "../resilience/retry-policy.js";
import type { RunTestsOptions } from "./run-options.js";
import type { ResolvedAgents } from "../config/resolved-agents.js";
import type { AuxiliaryRoutes, ModelChain, PlannedCase, PlannedModel } from "./run-plan.js";

/** How the models of one test are asked. */
export interface ModelPlanner {
  /** The model under test. */
  planModel(model: ResolvedModel): PlannedModel;
  /** One that plays a user or judges, with its fallbacks. */
  planRoute(model: ResolvedModel): ModelChain;
  /** Null for a target that asks no model of the config. */
  timeoutsFor(model: ResolvedModel | null): Timeouts;
}

export function createModelPlanner(
  test: ResolvedTest,
  config: Pick<ResolvedConfig, "timeouts">,
  options: Pick<RunTestsOptions, "retry" | "trialTimeoutMs">,
): ModelPlanner {
  const retried = (one: ResolvedModel): ResolvedModel =>
    options.retry === undefined ? one : { ...one, retry: retryPresets[options.retry] };
  const timeoutsFor = (model: ResolvedModel | null): Timeouts =>
    timeoutsOf(config.timeouts, model, test, options.trialTimeoutMs);
  const planModel = (one: ResolvedModel): PlannedModel => ({
    model: retried(one),
    params: mergeParams(one, test),
    timeouts: timeoutsFor(one),
  });
  // The params of a test are for the model under test.
  const planHelper = (one: ResolvedModel): PlannedModel => ({ ...planModel(one), params: one.params });
  return { planModel, planRoute: (one) => [planHelper(one), ...one.fallback.map(planHelper)], timeoutsFor };
}

const noneAsked: AuxiliaryRoutes = new Map();

export function planAuxiliary(asked: AuxiliaryModels, planRoute: ModelPlanner["planRoute"]): AuxiliaryRoutes {
  if (asked.size === 0) return noneAsked;
  return new Map([...asked].map(([name, { model, steers }]) => [name, { models: planRoute(model), steers }]));
}

/** The models of sub-agents. Those of the test are for the agent itself. */
export function planDelegates(
  { models }: ResolvedAgents,
  plan: ModelPlanner["planRoute"],
): NonNullable<PlannedCase["delegates"]> {
  return { models: new Map([...models].map(([id, model]) => [id, plan(model)])), plan };
}

function mergeParams(model: ResolvedModel, test: ResolvedTest): ResolvedModel["params"] {
  const extra = { ...model.params.extra_body, ...test.params.extra_body };
  return { ...model.params, ...test.params, ...(Object.keys(extra).length > 0 ? { extra_body: extra } : {}) };
}

/** The nearest wins: test and suite, then the model, then the config. */
function timeoutsOf(
  base: Timeouts,
  model: ResolvedModel | null,
  test: ResolvedTest,
  trialMs: number | undefined,
): Timeouts {
  return { ...base, ...model?.timeouts, ...test.timeouts, ...(trialMs === undefined ? {} : { trialMs }) };
}
