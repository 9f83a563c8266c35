import { attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import type { ToolDefinition } from "../providers/provider.js";
import { success } from "../result.js";
import type { RequestedToolCall } from "../transcript/message.js";
import type { ToolFailure } from "../transcript/tool-failure.js";
import { createEventRecorder } from "./create-event-recorder.js";
import { retryableByType, renderToolFailure } from "./envelope.js";
import type { FaultReport } from "./faults/fault-report.js";
import { readReturned } from "./read-returned.js";
import { recommend } from "./recommend.js";
import { exception, refuseCall } from "./refuse-call.js";
import { renderWithinLimits } from "./render-within-limits.js";
import { ToolAnswers, type CallRecord, type ToolRuntimeSettings } from "./tool-answers.js";
import type { RunnableTool } from "./tool-config.js";
import type { CallAudit, HandlerFailure, HandlerOutcome } from "./tool-handler.js";
import type { ToolHooks } from "./tool-hooks.js";
import type { ToolInvocation, ToolRuntime } from "./tool-runtime.js";

/** The tools of one trial. */
export class ToolRunner implements ToolRuntime {
  readonly definitions: readonly ToolDefinition[];
  readonly #settings: ToolRuntimeSettings;
  readonly #tools: ReadonlyMap<string, RunnableTool>;
  readonly #answers: ToolAnswers;
  #earlier: Promise<unknown> = Promise.resolve();

  constructor(settings: ToolRuntimeSettings) {
    this.definitions = settings.tools.map(toDefinition);
    this.#settings = settings;
    this.#tools = new Map(settings.tools.map((tool) => [tool.name, tool]));
    this.#answers = new ToolAnswers(settings);
  }

  mayRunInParallel(call: RequestedToolCall): boolean {
    return this.#tools.get(call.tool)?.attributes.no_effect ?? true;
  }

  faultReports(): readonly FaultReport[] {
    return this.#answers.faultReports();
  }

  async invoke(call: RequestedToolCall, { signal }: { signal: AbortSignal }): Promise<ToolInvocation> {
    const { clock, style } = this.#settings;
    const startedAt = clock.now();
    const start = clock.monotonic();
    const audit: CallAudit = {};
    const recorder = createEventRecorder();
    const executed = await this.#execute(call, signal, { audit, emit: recorder.emit });
    const text = executed.ok ? renderWithinLimits(executed.value) : success("");
    const handled = text.success ? executed : exception(text.error);
    const outcome: ToolInvocation["outcome"] = handled.ok
      ? handled
      : { ok: false, failure: this.#complete(call, handled.failure) };
    return {
      call,
      outcome,
      events: recorder.end(),
      isFixtureBroken: "broken" in handled,
      ...("broken" in handled && handled.brokenBy !== undefined ? { brokenBy: handled.brokenBy } : {}),
      content: outcome.ok ? (text.success ? text.data : "") : renderToolFailure(outcome.failure, style),
      startedAt,
      durationMs: clock.monotonic() - start,
      ...auditOf(audit, (failure) => this.#complete(call, failure)),
    };
  }

  async #execute(call: RequestedToolCall, signal: AbortSignal, record: CallRecord): Promise<HandlerOutcome> {
    const { hooks = null } = this.#settings;
    const refusal = refuseCall(call, this.#tools);
    if (refusal !== null) return refusal;
    const tool = this.#tools.get(call.tool);
    if (tool === undefined) return exception("the tool vanished");
    const decided = hooks === null ? null : await this.#decide(hooks, call, signal, record.audit);
    if (decided !== null) return readReturned(decided);
    const handler = attemptSync(() => this.#answers.handlerOf(tool), messageOf);
    if (!handler.success) return exception(handler.error);
    const answered = await this.#answers.answer(tool, handler.data, call, signal, record);
    if (hooks === null || "broken" in answered) return answered;
    const own = answered.ok ? answered : { ok: false as const, failure: this.#complete(call, answered.failure) };
    const replaced = await hooks.after(call, own, signal, record.audit);
    return replaced === null ? answered : readReturned(replaced);
  }

  /** Calls go on to their tools in the order in which they were made, however long the hooks think about each. */
  async #decide(
    { before }: ToolHooks,
    call: RequestedToolCall,
    signal: AbortSignal,
    audit: CallAudit,
  ): Promise<HandlerOutcome | null> {
    const deciding = before(call, signal, audit);
    const turn = Promise.all([deciding, this.#earlier]);
    this.#earlier = turn;
    return (await turn)[0];
  }

  #complete({ tool }: RequestedToolCall, failure: HandlerFailure): ToolFailure {
    const { errorType, message } = failure;
    const { recommendations: rules } = this.#settings;
    const advice = failure.recommendations ?? recommend(this.#tools.get(tool), tool, errorType, rules);
    return {
      errorType,
      message,
      retryable: failure.retryable ?? retryableByType[errorType],
      ...(advice.length > 0 ? { recommendations: advice } : {}),
    };
  }
}

function toDefinition(tool: RunnableTool): ToolDefinition {
  return {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    parameters: tool.parameters,
  };
}

/** What the call left in addition to its outcome. */
function auditOf(
  { fallback, ...audit }: CallAudit,
  complete: (failure: HandlerFailure) => ToolFailure,
): Pick<ToolInvocation, "stateChanges" | "fault" | "fallback" | "hook" | "resumed"> {
  return fallback === undefined ? audit : { ...audit, fallback: { ...fallback, reason: complete(fallback.reason) } };
}
