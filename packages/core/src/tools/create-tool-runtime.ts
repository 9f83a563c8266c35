import { attempt, attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { ToolDefinition } from "../providers/provider.js";
import type { RequestedToolCall } from "../transcript/message.js";
import type { ToolFailure } from "../transcript/tool-failure.js";
import type { Clock } from "../values/clock.js";
import type { JsonObject } from "../values/json.js";
import { success } from "../result.js";
import { retryableByType, renderToolFailure } from "./envelope.js";
import { renderWithinLimits } from "./render-within-limits.js";
import { checkResult, withResultSchema } from "./check-result.js";
import { recommend } from "./recommend.js";
import { createFaultInjector } from "./faults/create-fault-injector.js";
import type { Fault } from "./faults/fault.js";
import type { RecommendationRules, RunnableTool, ToolErrorStyle } from "./tool-config.js";
import type {
  AnswerScope,
  CallAudit,
  HandlerContext,
  HandlerFailure,
  HandlerOutcome,
  ToolHandler,
} from "./tool-handler.js";
import type { ToolHooks } from "./tool-hooks.js";
import type { ToolInvocation, ToolRuntime } from "./tool-runtime.js";
import { createToolHandler } from "./tool-sources.js";
import { createTrialState, type TrialState } from "./trial-state.js";
import { createFallback, type Fallback } from "./create-fallback.js";
import { createLastValues, type LastValues } from "./last-values.js";
import { raceAgainst } from "./race-against.js";
import { exception, refuseCall } from "./refuse-call.js";
import { readReturned } from "./read-returned.js";
import { createEventRecorder } from "./create-event-recorder.js";

export interface ToolRuntimeSettings {
  tools: readonly RunnableTool[];
  style: ToolErrorStyle;
  recommendations: RecommendationRules | null;
  /** Default deadline of a call, milliseconds. */
  timeoutMs: number;
  clock: Clock;
  scope: AnswerScope;
  /** What the state of the trial is at first; empty when left out. */
  state?: JsonObject | null;
  /** Failures to put in between, drawn from the seed. */
  faults?: { list: readonly Fault[]; seed: number } | null;
  /** What tools returned last in the run. */
  lastValues?: LastValues;
  /** Plugins that have a say in the calls. */
  hooks?: ToolHooks | null;
}

/** The tools of one trial. */
export function createToolRuntime(settings: ToolRuntimeSettings): ToolRuntime {
  const tools = new Map(settings.tools.map((tool) => [tool.name, tool]));
  // Most trials call no tool.
  let handlers: Map<string, ToolHandler> | null = null;
  let fallbacks: Map<string, Fallback> | null = null;
  const { faults = null, hooks = null } = settings;
  let { lastValues } = settings;
  const injector = faults === null ? null : createFaultInjector(faults.list, faults.seed, settings.scope);
  let state: TrialState | null = null;
  let earlier: Promise<unknown> = Promise.resolve();

  const handlerOf = (tool: RunnableTool): ToolHandler => {
    handlers ??= new Map();
    const known = handlers.get(tool.name);
    if (known !== undefined) return known;
    // Faults come after it: they may spoil a result on purpose.
    const created = withResultSchema(tool, createToolHandler(tool, settings.scope));
    const handler = injector === null ? created : injector.wrap(tool.name, created);
    handlers.set(tool.name, handler);
    return handler;
  };

  /** Null where nothing stands behind the tool. */
  const fallbackOf = (tool: RunnableTool): Fallback | null => {
    if (tool.kind === "simulated" || tool.fallback === undefined) return null;
    fallbacks ??= new Map();
    const known = fallbacks.get(tool.name);
    if (known !== undefined) return known;
    const created = createFallback(tool, tool.fallback, settings.scope, (lastValues ??= createLastValues()));
    fallbacks.set(tool.name, created);
    return created;
  };

  const complete = (call: RequestedToolCall, failure: HandlerFailure): ToolFailure => {
    const advice =
      failure.recommendations ??
      recommend(tools.get(call.tool), call.tool, failure.errorType, settings.recommendations);
    return {
      errorType: failure.errorType,
      message: failure.message,
      retryable: failure.retryable ?? retryableByType[failure.errorType],
      ...(advice.length > 0 ? { recommendations: advice } : {}),
    };
  };

  /** What the tool answers within its time, or what stands behind it. */
  const answer = async (
    tool: RunnableTool,
    handler: ToolHandler,
    call: RequestedToolCall,
    signal: AbortSignal,
    record: CallRecord,
  ): Promise<HandlerOutcome> => {
    const trialState = (state ??= createTrialState(settings.state ?? {}));
    const race = async (act: (context: HandlerContext) => Promise<HandlerOutcome>): Promise<HandlerOutcome> => {
      const outcome = await attempt(
        () =>
          raceAgainst(
            settings.clock,
            tool.timeoutMs ?? settings.timeoutMs,
            signal,
            (inner) => act({ signal: inner, clock: settings.clock, state: trialState, ...record }),
            () => handler.whenLate?.() ?? null,
          ),
        (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
      );
      return outcome.success
        ? readReturned(outcome.data)
        : { ok: false, failure: { errorType: "runtime", message: outcome.error.message } };
    };
    const outcome = await race((context) => handler.execute(call.args, context));
    const fallback = fallbackOf(tool);
    if (fallback === null) return outcome;
    if (outcome.ok) fallback.learn(call.args, outcome.value, record);
    if (outcome.ok || !fallback.standsInFor(outcome)) return outcome;
    return race(async (context) => {
      const instead = await fallback.answer(call.args, outcome.failure, context);
      return instead === null ? outcome : checkResult(tool, instead, true);
    });
  };

  /** Calls go on to their tools in the order in which they were made, however long the hooks think about each. */
  const decide = async (
    { before }: ToolHooks,
    call: RequestedToolCall,
    signal: AbortSignal,
    audit: CallAudit,
  ): Promise<HandlerOutcome | null> => {
    const deciding = before(call, signal, audit);
    const turn = Promise.all([deciding, earlier]);
    earlier = turn;
    return (await turn)[0];
  };

  const execute = async (call: RequestedToolCall, signal: AbortSignal, record: CallRecord): Promise<HandlerOutcome> => {
    const refusal = refuseCall(call, tools);
    if (refusal !== null) return refusal;
    const tool = tools.get(call.tool);
    if (tool === undefined) return exception("the tool vanished");
    const decided = hooks === null ? null : await decide(hooks, call, signal, record.audit);
    if (decided !== null) return readReturned(decided);
    const handler = attemptSync(() => handlerOf(tool), messageOf);
    if (!handler.success) return exception(handler.error);
    const answered = await answer(tool, handler.data, call, signal, record);
    if (hooks === null || "broken" in answered) return answered;
    const own = answered.ok ? answered : { ok: false as const, failure: complete(call, answered.failure) };
    const replaced = await hooks.after(call, own, signal, record.audit);
    return replaced === null ? answered : readReturned(replaced);
  };

  return {
    definitions: settings.tools.map(toDefinition),
    mayRunInParallel: (call) => tools.get(call.tool)?.attributes.no_effect ?? true,
    async invoke(call, { signal }) {
      const startedAt = settings.clock.now();
      const start = settings.clock.monotonic();
      const audit: CallAudit = {};
      const recorder = createEventRecorder();
      const executed = await execute(call, signal, { audit, emit: recorder.emit });
      const text = executed.ok ? renderWithinLimits(executed.value) : success("");
      const handled = text.success ? executed : exception(text.error);
      const outcome: ToolInvocation["outcome"] = handled.ok
        ? handled
        : { ok: false, failure: complete(call, handled.failure) };
      return {
        call,
        outcome,
        events: recorder.end(),
        isFixtureBroken: "broken" in handled,
        ...("broken" in handled && handled.brokenBy !== undefined ? { brokenBy: handled.brokenBy } : {}),
        content: outcome.ok ? (text.success ? text.data : "") : renderToolFailure(outcome.failure, settings.style),
        startedAt,
        durationMs: settings.clock.monotonic() - start,
        ...auditOf(audit, (failure) => complete(call, failure)),
      };
    },
    faultReports: () => injector?.reports() ?? [],
  };
}

function toDefinition(tool: RunnableTool): ToolDefinition {
  return {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    parameters: tool.parameters,
  };
}

type CallRecord = Pick<HandlerContext, "audit" | "emit">;

/** What the call left beside its outcome. */
function auditOf(
  { fallback, ...audit }: CallAudit,
  complete: (failure: HandlerFailure) => ToolFailure,
): Pick<ToolInvocation, "stateChanges" | "fault" | "fallback" | "hook" | "resumed"> {
  return fallback === undefined ? audit : { ...audit, fallback: { ...fallback, reason: complete(fallback.reason) } };
}
