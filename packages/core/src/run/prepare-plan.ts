import { loadConfig, type LoadingEnvironment } from "../config/load-config.js";
import type { ResolvedConfig } from "../config/resolved-config.js";
import { warnOfUncovered } from "../verdict/warn-of-uncovered.js";
import { planRun } from "../plan/plan-run.js";
import { takeShard } from "../plan/shard/take-shard.js";
import type { RunPlan } from "../plan/run-plan.js";
import { success, type Result } from "../result.js";
import type { RunSessions, RunTestsOptions } from "../plan/run-options.js";

export interface PreparedPlan {
  config: ResolvedConfig;
  plan: RunPlan;
}

/** Reads the config and plans the run, of which `sessions` were held before. The redactor learns what must not be shown. */
export async function preparePlan(
  options: RunTestsOptions,
  environment: LoadingEnvironment,
  sessions: RunSessions | null = null,
): Promise<Result<PreparedPlan>> {
  const loaded = await loadConfig({ ...options, ci: options.ci ?? false }, environment);
  if (!loaded.success) return loaded;
  const planned = planRun(loaded.data, options, sessions);
  if (!planned.success) return planned;
  const plan = await takeShard(planned.data, options, environment.cwd);
  if (!plan.success) return plan;
  const warnings = [...plan.data.warnings, ...warnOfUncovered(plan.data)];
  return success({ config: loaded.data, plan: { ...plan.data, warnings } });
}
