import { kindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase, RenderedCase } from "../plan/run-plan.js";
import { failure, success, type Result } from "../result.js";
import { ModelSession } from "../targets/model/model-session.js";
import { openTarget } from "../targets/registry.js";
import type { SessionSettings, TargetSession, SessionListener } from "../targets/target.js";
import type { ModelFaults } from "../tools/faults/model-faults.js";
import type { ToolInvocation, ToolRuntime } from "../tools/tool-runtime.js";
import type { Workspace } from "../workspace/workspace.js";
import type { TodoList } from "../tools/builtin/todo/todo-list.js";
import { remindOfTodos } from "./todo-reminders/remind-of-todos.js";
import { createRandom } from "../values/random.js";
import type { ToolErrorPolicy } from "./after-tool-error/tool-error-policy.js";
import type { RunContext } from "./run-context.js";
import type { EmitEvent } from "./create-event-stream.js";
import type { TrialRef } from "./run-event.js";
import { watchFiles } from "./trial-workspace/watch-files.js";
import type { SimulatedUser } from "./simulated-user/simulated-user.js";
import type { ToolFailure } from "../transcript/tool-failure.js";

/** Makes limits of a session those of all agents of the trial. */
interface SharedLimits {
  share(settings: SessionSettings, simulator: Pick<SimulatedUser, "spentUsd"> | null): void;
}

/** The parts of a session that belong to one trial. */
export interface SessionParts {
  seed: number;
  tools: ToolRuntime;
  simulator: Pick<SimulatedUser, "spentUsd"> | null;
  /** Null if the agent does not delegate. */
  delegations: SharedLimits | null;
  watcher: Pick<ToolErrorPolicy, "watch">;
  workspace: Workspace | null;
  /** Null if the case has none. */
  modelFaults: ModelFaults | null;
  /** Those of the agent; null if it has no built-in tools. */
  todos: TodoList | null;
}

export function openSession(
  planned: PlannedCase,
  rendered: RenderedCase,
  ref: TrialRef,
  { seed, tools, simulator, delegations, watcher, workspace, modelFaults, todos }: SessionParts,
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
    tools: watchFiles(tools, workspace?.seen ?? null, (changed) => run.emit({ ...changed, ...ref })),
    limits: planned.limits,
    origin: { caseId: planned.id, trial: ref.trial, seed, ...pathsOf(workspace) },
    remind: remindOfTodos(test.todos, todos, ref, run),
  };
  if (simulator !== null) settings.otherCostUsd = () => simulator.spentUsd;
  delegations?.share(settings, simulator);
  const watched = watcher.watch(settings);
  if (test.target === null && route.data !== null) return success(new ModelSession(watched, route.data));
  if (test.target === null) return failure(kindlmError("UNKNOWN_ERROR", "The case has neither a model nor a target"));
  const scope = rendered.answerScope;
  return openTarget(test.target, {
    ...watched,
    route: route.data,
    timeouts,
    scope,
    world: run.targets,
    workspace,
    modelFaults,
  });
}

/** Says that an approval was asked for, and which one was given. */
function emitPermission(
  emit: EmitEvent,
  named: TrialRef & { tool: string; callId: string },
  permission: ToolInvocation["permission"],
): void {
  if (permission?.id === undefined || permission.asked === undefined) return;
  const { id, asked, decision, note } = permission;
  emit({ channel: "control", type: "permission:required", ...named, permissionId: id, ...asked });
  if (decision !== "approved" && decision !== "denied") return;
  const said = note === undefined ? {} : { note };
  emit({ channel: "control", type: "permission:decided", ...named, permissionId: id, decision, ...said });
}

/** What commands print, such as the trace of an error, names a folder that is another one in each trial. */
function pathsOf(workspace: Workspace | null): Pick<SessionSettings["origin"], "volatile"> {
  return workspace === null ? {} : { volatile: { workspace: workspace.root, workspace_home: workspace.home } };
}

/** Emits what happens inside a session as events of its trial. */
export function createSessionEvents(emit: EmitEvent, ref: TrialRef): SessionListener {
  return {
    turnStarted: (turn) => emit({ channel: "progress", type: "turn:start", ...ref, turn }),
    turnEnded: (turn, finishReason) => emit({ channel: "progress", type: "turn:end", ...ref, turn, finishReason }),
    queueStarted: (turn, { provider, lane }) =>
      emit({ channel: "progress", type: "queue:start", ...ref, turn, provider, model: lane }),
    queueEnded: (turn, { provider, lane }) =>
      emit({ channel: "progress", type: "queue:end", ...ref, turn, provider, model: lane }),
    attemptStarted: (turn, attempt, { provider, lane }) =>
      emit({ channel: "monitor", type: "attempt:start", ...ref, turn, attempt, provider, model: lane }),
    attemptEnded: (turn, { attempt, provider, latencyMs, error }) =>
      emit({ channel: "monitor", type: "attempt:end", ...ref, turn, attempt, provider, latencyMs, error }),
    retryStarted: (turn, { provider, lane }, wait) =>
      emit({ channel: "progress", type: "retry:start", ...ref, turn, provider, model: lane, ...wait }),
    retryEnded: (turn, attempt, provider) =>
      emit({ channel: "progress", type: "retry:end", ...ref, turn, attempt, provider }),
    fellBack: (turn, from, to, error) => emit({ channel: "progress", type: "fallback", ...ref, turn, from, to, error }),
    toolStarted: ({ id, tool }) => emit({ channel: "progress", type: "tool:start", ...ref, tool, callId: id }),
    toolEnded: ({ call, outcome, events, durationMs, fallback, hook, permission, resumed }) => {
      const named = { ...ref, tool: call.tool, callId: call.id };
      for (const { name, data, at } of events) {
        emit({ channel: "monitor", type: "tool:event", ...named, name, data }, at);
      }
      emitPermission(emit, named, permission);
      const report = ({ errorType, message, retryable }: ToolFailure): void =>
        emit({
          channel: "monitor",
          type: "error",
          ...ref,
          severity: errorType === "exception" ? "error" : "warn",
          phase: "tool",
          message,
          detail: { tool: call.tool, errorType, retryable },
        });
      if (fallback !== undefined) {
        emit({ channel: "progress", type: "tool:fallback", ...named, ...fallback });
        report(fallback.reason);
      }
      if (!outcome.ok && permission?.decision !== "pending") {
        const args = call.malformed === undefined ? call.args : call.malformed.raw;
        const state = resumed === "sealed" ? "SEALED" : permission?.decision === "denied" ? "DENIED" : "FAILED";
        emit({ channel: "progress", type: "tool:error", ...named, args, failure: outcome.failure, call: { state } });
        report(outcome.failure);
      }
      const decided = hook === undefined ? {} : { hook };
      emit({ channel: "progress", type: "tool:end", ...named, ok: outcome.ok, durationMs, ...decided });
    },
  };
}
