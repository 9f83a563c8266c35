import { kindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase, RenderedCase } from "../plan/run-plan.js";
import { failure, success, type Result } from "../result.js";
import { ModelSession } from "../targets/model/model-session.js";
import { openTarget } from "../targets/registry.js";
import type { SessionSettings, TargetSession } from "../targets/target.js";
import type { ToolRuntime } from "../tools/tool-runtime.js";
import { createRandom } from "../values/random.js";
import type { ToolErrorPolicy } from "./after-tool-error/tool-error-policy.js";
import type { RunContext } from "./run-context.js";
import type { TrialRef } from "./run-event.js";
import { createSessionEvents } from "./session-events.js";
import type { SimulatedUser } from "./simulated-user/simulated-user.js";

/** The parts of a session that belong to one trial. */
export interface SessionParts {
  seed: number;
  tools: ToolRuntime;
  simulator: Pick<SimulatedUser, "spentUsd"> | null;
  watcher: Pick<ToolErrorPolicy, "watch">;
}

export function openSession(
  planned: PlannedCase,
  rendered: RenderedCase,
  ref: TrialRef,
  { seed, tools, simulator, watcher }: SessionParts,
  run: RunContext,
): Result<TargetSession> | Promise<Result<TargetSession>> {
  const route = run.routeOf(planned);
  if (!route.success) return route;
  const { test, timeouts } = planned;
  const settings: SessionSettings = {
    budget: run.budget,
    clock: run.clock,
    random: createRandom(seed),
    listener: createSessionEvents(run.emit, ref),
    system: rendered.system,
    history: rendered.history,
    tools,
    limits: planned.limits,
    origin: { caseId: planned.id, trial: ref.trial, seed },
  };
  if (simulator !== null) settings.otherCostUsd = () => simulator.spentUsd;
  const watched = watcher.watch(settings);
  if (test.target === null && route.data !== null) return success(new ModelSession(watched, route.data));
  if (test.target === null) return failure(kindlmError("UNKNOWN_ERROR", "The case has neither a model nor a target"));
  const scope = rendered.answerScope;
  return openTarget(test.target, { ...watched, route: route.data, timeouts, scope, world: run.targets });
}
