import type { AssertionContext } from "../assertions/define-assertion.js";
import type { PlannedCase, PlannedModel } from "../plan/run-plan.js";
import type { Budget } from "../resilience/budget.js";
import type { ModelRoute } from "../resilience/model-route.js";
import type { Result } from "../result.js";
import type { TargetWorld } from "../targets/define-target.js";
import type { Workspaces } from "../workspace/create-workspaces.js";
import type { Clock } from "../values/clock.js";
import type { EmitEvent } from "./create-event-stream.js";
import type { ToolOpener } from "./create-tool-opener.js";
import type { BaselineAnswers } from "./ports.js";
import type { OpenDeadline } from "./trial-deadline.js";

/** What all trials of a run share. */
export interface RunContext {
  clock: Clock;
  runId: string;
  seed: number;
  openDeadline: OpenDeadline;
  emit: EmitEvent;
  routeOf(planned: PlannedCase): Result<ModelRoute | null>;
  routeThrough(models: readonly [PlannedModel, ...PlannedModel[]]): Result<ModelRoute>;
  budget: Budget;
  /** Null where the run looks at no baseline. */
  baselineAnswers: BaselineAnswers | null;
  /** What targets that are programs share. */
  targets: TargetWorld;
  tools: Pick<ToolOpener, "open">;
  workspaces: Pick<Workspaces, "open">;
  /** The shared part of every assertion's context; signal, deadline and models are the trial's own. */
  assertions: Omit<AssertionContext, "signal" | "timeoutMs" | "models" | "workspace">;
}
