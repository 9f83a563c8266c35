import { compileSchema } from "../json-schema/compile-schema.js";
import { brokenFixture } from "./render-answer.js";
import { readReturned } from "./read-returned.js";
import type { RunnableTool, OpenTool, ToolFallback } from "./tool-config.js";
import {
  interrupted,
  tooLate,
  type AnswerScope,
  type HandlerContext,
  type HandlerFailure,
  type HandlerOutcome,
  type ToolHandler,
} from "./tool-handler.js";
import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { RequestedToolCall } from "../transcript/message.js";
import type { Clock } from "../values/clock.js";
import { createFaultInjector } from "./faults/create-fault-injector.js";
import type { FaultReport } from "./faults/fault-report.js";
import type { InjectionWatch } from "./faults/inject/injection-watch.js";
import { createLastValues, type LastValues } from "./last-values.js";
import type { ToolRuntimeSettings } from "./tool-runtime-settings.js";
import { createToolHandler } from "./registry.js";
import { createTrialState, type TrialState } from "./trial-state.js";
import { createLateness, isLate } from "./call-lateness.js";
import { createSimulatedAnswers } from "./simulated/create-simulated-handler.js";
import { renderSimulatedTool } from "./simulated/render-simulated-tool.js";
import { canonicalJson } from "../values/canonical-json.js";

export type CallRecord = Pick<HandlerContext, "audit" | "emit">;

type Act = (context: HandlerContext) => Promise<HandlerOutcome>;

/** What the tools of one trial answer, each within its time, and what replaces those that fail. */
export class ToolAnswers {
  readonly #settings: ToolRuntimeSettings;
  readonly #injector: ReturnType<typeof createFaultInjector> | null;
  // Most trials call no tool.
  #handlers: Map<RunnableTool, ToolHandler> | null = null;
  #fallbacks: Map<RunnableTool, Fallback> | null = null;
  #state: TrialState | null = null;
  #lastValues: LastValues | undefined;

  constructor(settings: ToolRuntimeSettings) {
    const { faults = null, workspace = null, scope } = settings;
    this.#settings = settings;
    this.#lastValues = settings.lastValues;
    this.#injector = faults === null ? null : createFaultInjector(faults.list, faults.seed, scope, workspace);
  }

  faultReports(): readonly FaultReport[] {
    return this.#injector?.reports() ?? [];
  }

  get injections(): InjectionWatch | null {
    return this.#injector?.injections ?? null;
  }

  /** Throws if the tool cannot be made. */
  handlerOf(tool: RunnableTool): ToolHandler {
    this.#handlers ??= new Map();
    const known = this.#handlers.get(tool);
    if (known !== undefined) return known;
    // Faults come after it: they may spoil a result on purpose.
    const created = withResultSchema(tool, createToolHandler(tool, this.#settings.scope));
    const handler = this.#injector?.wrap(tool.name, created) ?? created;
    this.#handlers.set(tool, handler);
    return handler;
  }

  /** What the tool answers within its time, or its fallback. */
  async answer(
    tool: RunnableTool,
    handler: ToolHandler,
    { args }: RequestedToolCall,
    signal: AbortSignal,
    record: CallRecord,
  ): Promise<HandlerOutcome> {
    const race = (act: Act): Promise<HandlerOutcome> => this.#race(tool, handler, signal, record, act);
    const outcome = await race((context) => handler.execute(args, context));
    const fallback = this.#fallbackOf(tool);
    if (fallback === null) return outcome;
    if (outcome.ok) fallback.learn(args, outcome.value, record);
    if (outcome.ok || !fallback.standsInFor(outcome)) return outcome;
    return race(async (context) => {
      const instead = await fallback.answer(args, outcome.failure, context);
      return instead === null ? outcome : checkResult(tool, instead, true);
    });
  }

  async #race(
    { timeoutMs }: RunnableTool,
    handler: ToolHandler,
    signal: AbortSignal,
    record: CallRecord,
    act: Act,
  ): Promise<HandlerOutcome> {
    const { clock, timeoutMs: usualMs, state: initial } = this.#settings;
    const state = (this.#state ??= createTrialState(initial ?? {}));
    const outcome = await attempt(
      () =>
        raceAgainst(
          clock,
          timeoutMs ?? usualMs,
          signal,
          (inner) => act({ signal: inner, clock, state, ...record }),
          () => handler.whenLate?.() ?? null,
        ),
      (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
    );
    // What it did until then is part of the record.
    await record.audit.settled;
    return outcome.success
      ? readReturned(outcome.data)
      : { ok: false, failure: { errorType: "runtime", message: outcome.error.message } };
  }

  /** Null for a tool without a fallback. */
  #fallbackOf(tool: RunnableTool): Fallback | null {
    if (tool.kind === "simulated" || tool.fallback === undefined) return null;
    this.#fallbacks ??= new Map();
    const known = this.#fallbacks.get(tool);
    if (known !== undefined) return known;
    this.#lastValues ??= createLastValues();
    const created = createFallback(tool, tool.fallback, this.#settings.scope, this.#lastValues);
    this.#fallbacks.set(tool, created);
    return created;
  }
}

/** A handler whose results keep to the `result_schema` of the tool. */
function withResultSchema(tool: RunnableTool, handler: ToolHandler): ToolHandler {
  if (tool.resultSchema === undefined) return handler;
  const isWritten = tool.kind === "simulated";
  return {
    ...handler,
    execute: async (args, context) => checkResult(tool, await handler.execute(args, context), isWritten),
  };
}

/**
 * The outcome, unless its value breaks the schema: then an answer that is written in the config is a broken fixture, and
 * any other one a `runtime` error of the tool. Failures have no schema.
 */
function checkResult(
  { name, resultSchema }: Pick<RunnableTool, "name" | "resultSchema">,
  outcome: HandlerOutcome,
  isWritten: boolean,
): HandlerOutcome {
  const read = readReturned(outcome);
  if (resultSchema === undefined || !read.ok) return outcome;
  const compiled = compileSchema(resultSchema);
  if (!compiled.success) return brokenFixture(`The result_schema of the tool "${name}": ${compiled.error.message}`);
  const [violation] = compiled.data.validate(read.value ?? null);
  if (violation === undefined) return outcome;
  const problem = `breaks its result_schema: ${violation.path === "" ? "it" : violation.path} ${violation.message}`;
  if (isWritten) return brokenFixture(`An answer of the tool "${name}" in the config ${problem}`);
  return { ok: false, failure: { errorType: "runtime", message: `What the tool returned ${problem}` } };
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
  whenLate: () => HandlerOutcome | null = () => null,
): Promise<HandlerOutcome> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const end = (outcome: HandlerOutcome, reason?: DOMException): void => {
      settle();
      controller.abort(reason);
      resolve(outcome);
    };
    // A call that a sub-agent makes is late when the one that delegated to it is.
    const onAbort = (): void => end(interrupted, isLate(signal) ? createLateness() : undefined);
    const onLate = (): void => end(whenLate() ?? tooLate(timeoutMs), createLateness());
    const cancelTimer = timeoutMs === Number.POSITIVE_INFINITY ? () => {} : clock.after(timeoutMs, onLate);
    const settle = (): void => {
      cancelTimer();
      signal.removeEventListener("abort", onAbort);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) return onAbort();
    // A throw before the first await must end the timer, too.
    new Promise<HandlerOutcome>((done) => done(action(controller.signal))).then(resolve, reject).finally(settle);
  });
}

/** What stands behind one real tool in one trial. */
interface Fallback {
  /** Hears what the tool returned. */
  learn(args: unknown, value: unknown, context: Pick<HandlerContext, "audit">): void;
  /** True when an answer is looked for in place of this outcome. */
  standsInFor(outcome: HandlerOutcome): boolean;
  /** Answers in place of the tool and says so in the audit; null when it has no answer, so that the error stands. */
  answer(args: unknown, reason: HandlerFailure, context: HandlerContext): Promise<HandlerOutcome | null>;
}

function createFallback(
  { name, isOfCase }: Pick<OpenTool, "name" | "isOfCase">,
  fallback: ToolFallback,
  scope: AnswerScope,
  lastValues: LastValues,
): Fallback {
  const rendered = renderSimulatedTool({ ...fallback, name }, scope);
  const simulated = rendered.success ? createSimulatedAnswers(rendered.data, scope) : null;
  const key = isOfCase === true ? `${name} ${canonicalJson(scope)}` : name;
  return {
    learn(args, value, { audit }) {
      // What a fault has corrupted is not what the tool returned.
      if (fallback.usesLastValue && !corrupts(audit.fault?.kind)) lastValues.keep(fallback, key, args, value);
    },
    standsInFor: (outcome) => !outcome.ok && !("broken" in outcome) && fallback.on.includes(outcome.failure.errorType),
    async answer(args, reason, context) {
      const { audit } = context;
      const last = fallback.usesLastValue ? lastValues.read(fallback, key, args) : undefined;
      audit.fallback = { by: last === undefined ? "answer" : "last_value", reason };
      if (last !== undefined) return { ok: true, value: last.value };
      if (simulated === null) {
        const problem = rendered.success ? "" : rendered.error;
        return brokenFixture(`The fallback of the tool "${name}" is not valid: ${problem}`);
      }
      const outcome = await simulated(args, context);
      if (outcome === null) delete audit.fallback;
      return outcome;
    },
  };
}

function corrupts(kind: string | undefined): boolean {
  return kind !== undefined && kind !== "latency" && kind !== "duplicate" && kind !== "external_edit";
}
