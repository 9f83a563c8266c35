import { attempt, messageOf } from "../errors/boundary.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { compileSchema } from "../json-schema/compile-schema.js";
import type { ToolDefinition } from "../providers/provider.js";
import type { RequestedToolCall } from "../transcript/message.js";
import type { ToolFailure } from "../transcript/tool-failure.js";
import type { Clock } from "../values/clock.js";
import { renderDuration } from "../values/duration.js";
import type { JsonObject } from "../values/json.js";
import { didYouMean } from "../values/nearest-name.js";
import { retryableByType, renderToolFailure, renderToolValue } from "./envelope.js";
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
import type { ToolInvocation, ToolRuntime } from "./tool-runtime.js";
import { createToolHandler } from "./tool-sources.js";
import { createTrialState, type TrialState } from "./trial-state.js";
import { createFallback, type Fallback } from "./create-fallback.js";
import { createLastValues, type LastValues } from "./last-values.js";
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
  state?: JsonObject;
  /** Failures to put in between, drawn from the seed. */
  faults?: { list: readonly Fault[]; seed: number } | null;
  /** What tools returned last in the run. */
  lastValues?: LastValues;
}

/** The tools of one trial. */
export function createToolRuntime(settings: ToolRuntimeSettings): ToolRuntime {
  const tools = new Map(settings.tools.map((tool) => [tool.name, tool]));
  const handlers = new Map<string, ToolHandler>();
  const fallbacks = new Map<string, Fallback>();
  const { faults = null } = settings;
  let { lastValues } = settings;
  const injector = faults === null ? null : createFaultInjector(faults.list, faults.seed, settings.scope);
  /** Made by the first call; most trials call no tool. */
  let state: TrialState | null = null;

  const handlerOf = (tool: RunnableTool): ToolHandler => {
    const known = handlers.get(tool.name);
    if (known !== undefined) return known;
    const created = createToolHandler(tool, settings.scope);
    const handler = injector === null ? created : injector.wrap(tool.name, created);
    handlers.set(tool.name, handler);
    return handler;
  };

  /** Null where nothing stands behind the tool. */
  const fallbackOf = (tool: RunnableTool): Fallback | null => {
    if (tool.kind === "simulated" || tool.fallback === undefined) return null;
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

  const execute = async (
    call: RequestedToolCall,
    signal: AbortSignal,
    record: Pick<HandlerContext, "audit" | "emit">,
  ): Promise<HandlerOutcome> => {
    const refusal = refuse(call, tools);
    if (refusal !== null) return { ok: false, failure: refusal };
    const tool = tools.get(call.tool);
    if (tool === undefined) return exception("the tool vanished");
    const handler = handlerOf(tool);
    const trialState = (state ??= createTrialState(settings.state ?? {}));
    const race = async (act: (context: HandlerContext) => Promise<HandlerOutcome>): Promise<HandlerOutcome> => {
      const outcome = await attempt(
        () =>
          raceAgainst(settings.clock, tool.timeoutMs ?? settings.timeoutMs, signal, (inner) =>
            act({ signal: inner, clock: settings.clock, state: trialState, ...record }),
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
    return race(async (context) => (await fallback.answer(call.args, outcome.failure, context)) ?? outcome);
  };

  return {
    definitions: settings.tools.map(toDefinition),
    mayRunInParallel: (call) => tools.get(call.tool)?.attributes.no_effect ?? true,
    async invoke(call, { signal }) {
      const startedAt = settings.clock.now();
      const start = settings.clock.monotonic();
      const audit: CallAudit = {};
      const recorder = createEventRecorder();
      const handled = await execute(call, signal, { audit, emit: recorder.emit });
      const outcome: ToolInvocation["outcome"] = handled.ok
        ? handled
        : { ok: false, failure: complete(call, handled.failure) };
      return {
        call,
        outcome,
        events: recorder.end(),
        isFixtureBroken: "broken" in handled,
        content: outcome.ok ? renderToolValue(outcome.value) : renderToolFailure(outcome.failure, settings.style),
        startedAt,
        durationMs: settings.clock.monotonic() - start,
        ...(audit.stateChanges === undefined ? {} : { stateChanges: audit.stateChanges }),
        ...(audit.fault === undefined ? {} : { fault: audit.fault }),
        ...(audit.fallback === undefined
          ? {}
          : { fallback: { ...audit.fallback, reason: complete(call, audit.fallback.reason) } }),
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

/** Why a call never reaches its tool; null when it does. */
function refuse(call: RequestedToolCall, tools: ReadonlyMap<string, RunnableTool>): HandlerFailure | null {
  const tool = tools.get(call.tool);
  if (tool === undefined) {
    const names = [...tools.keys()];
    const advice = didYouMean(call.tool, names) ?? (names.length > 0 ? `Tools: ${names.join(", ")}` : "");
    return { errorType: "validation", message: `There is no tool "${call.tool}". ${advice}`.trim() };
  }
  if (call.malformed !== undefined) {
    return { errorType: "validation", message: `The arguments are not valid JSON: ${call.malformed.reason}` };
  }
  const validator = compileSchema(tool.parameters);
  if (!validator.success) {
    const { errorType, message } = exception(validator.error.message).failure;
    return { errorType, message };
  }
  const violations = validator.data.validate(call.args ?? {});
  if (violations.length === 0) return null;
  const listed = violations.map(({ path, message }) => (path === "" ? message : `${path} ${message}`));
  return { errorType: "validation", message: `Invalid parameters: ${listed.join("; ")}` };
}

function exception(message: string): { ok: false; failure: HandlerFailure } {
  return { ok: false, failure: { errorType: "exception", message: `The tool could not be run: ${message}` } };
}

/**
 * Runs the action against a deadline and the caller's signal. It is raced and not only signalled: an action that
 * ignores its signal is left behind.
 */
function raceAgainst(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
  action: (signal: AbortSignal) => Promise<HandlerOutcome>,
): Promise<HandlerOutcome> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const end = (message: string): void => {
      settle();
      controller.abort();
      resolve({ ok: false, failure: { errorType: "aborted", message } });
    };
    const onAbort = (): void => end("The tool call was interrupted");
    const cancelTimer = clock.after(timeoutMs, () =>
      end(`The tool did not answer within ${renderDuration(timeoutMs)}`),
    );
    const settle = (): void => {
      cancelTimer();
      signal.removeEventListener("abort", onAbort);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) return onAbort();
    action(controller.signal).then(resolve, reject).finally(settle);
  });
}
