import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { trialStopped } from "../../errors/trial-stopped.js";
import type { ProviderResponse, RequestOrigin } from "../../providers/provider.js";
import type { CallPorts } from "../../resilience/call-endpoint.js";
import { callModel, type ModelQuestion } from "../../resilience/call-model.js";
import type { ModelRoute } from "../../resilience/model-route.js";
import { failure, success, type Result } from "../../result.js";
import type { AssistantMessage, RequestedToolCall, UserMessage, ToolMessage } from "../../transcript/message.js";
import { recordOf } from "../../transcript/record-of.js";
import { spentUsdOf } from "../../transcript/turn.js";
import { plural } from "../../values/plural.js";
import { markOf, rollBackTo, type GrowingTranscript } from "../roll-back.js";
import type { Checkpoint, SessionSettings, TargetSession, SessionListener } from "../target.js";
import { listenInTurn } from "./listen-in-turn.js";
import { toTurnRecord } from "./to-turn-record.js";
import { auditRecord } from "../../tools/audit-record.js";
import { runInOrder } from "../../tools/run-in-order.js";
import type { ToolInvocation, ToolRuntime } from "../../tools/tool-runtime.js";
import type { TrialToolCall } from "../../transcript/trial.js";

/** A session with a model whose tool loop KindLM runs. */
export class ModelSession implements TargetSession {
  readonly transcript: GrowingTranscript;
  readonly #settings: SessionSettings;
  readonly #route: ModelRoute;
  readonly #callPorts: CallPorts;
  #userTurn = 0;
  /** Requests for the user turn so far. */
  #steps = 0;
  #turn = 0;
  /** Turns of tries that were rolled back: the model knows of none of them. */
  #undoneTurns = 0;
  #spentUsd = 0;
  /** Those of the tools that the provider runs included. */
  readonly #calls: { count: number };
  /** Where on the route the conversation is. A fallback stays, since the others do not know what was said. */
  #position = 0;

  constructor(settings: SessionSettings, route: ModelRoute) {
    const { budget, clock, random, listener, history } = settings;
    this.transcript = { messages: [...history], turns: [], toolCalls: [] };
    this.#settings = settings;
    this.#route = route;
    this.#calls = settings.toolCalls ?? { count: 0 };
    this.#callPorts = { budget, clock, random, listener: listenInTurn(listener, () => this.#turn) };
  }

  async send(message: UserMessage | null, { signal }: { signal: AbortSignal }): Promise<Result<void>> {
    const { limits } = this.#settings;
    if (message?.isNudge !== true) {
      this.#userTurn += 1;
      this.#steps = 0;
    }
    if (message !== null) this.transcript.messages.push(message);
    // What is asked next depends on the answer before.
    while (this.#steps < limits.maxTurns) {
      this.#steps += 1;
      const spent = this.#overCost();
      if (spent !== null) return failure(spent);
      const answered = await this.#ask(signal);
      if (!answered.success) return answered;
      this.#addAnswer(answered.data);
      if (answered.data.toolCalls.length === 0) return checkAnswer(answered.data);
      const stopped = await this.#runTools(answered.data.toolCalls, signal);
      if (stopped !== null) return failure(stopped);
    }
    return failure(
      kindlmError("ENGINE_MAX_TURNS", `The agent was still calling tools after ${plural(limits.maxTurns, "turn")}`, {
        details: { maxTurns: limits.maxTurns },
      }),
    );
  }

  checkpoint(): Checkpoint {
    const mark = markOf(this.transcript);
    const [userTurn, undoneTurns] = [this.#userTurn, this.#undoneTurns];
    return {
      rollBack: async (rejectedTry) => {
        this.#undoneTurns = undoneTurns + this.transcript.turns.length - mark.turns;
        this.#userTurn = userTurn;
        return success(rollBackTo(this.transcript, mark, rejectedTry));
      },
    };
  }

  async close(): Promise<void> {}

  stderr(): string {
    return "";
  }

  async #ask(signal: AbortSignal): Promise<Result<ProviderResponse>> {
    const { system, tools, listener, budget } = this.#settings;
    this.#turn += 1;
    const question: ModelQuestion = {
      messages: this.transcript.messages,
      tools: tools.definitions,
      origin: this.#originOf(this.#turn - this.#undoneTurns),
    };
    if (system !== null) question.system = system;
    listener.turnStarted(this.#turn);
    const call = await callModel(question, this.#route, this.#position, this.#callPorts, { signal });
    this.#position = call.position;
    const record = toTurnRecord(this.#turn, this.#userTurn, call, this.#route);
    this.transcript.turns.push(record);
    this.#spentUsd += record.costUsd ?? 0;
    budget.spend(spentUsdOf(record));
    listener.turnEnded(this.#turn, record.finishReason);
    if (call.result.success && tools.injections?.isWaiting === true) tools.injections.answered(question.messages);
    return call.result;
  }

  #originOf(turn: number): RequestOrigin {
    const { caseId, trial, seed, volatile } = this.#settings.origin;
    const origin: RequestOrigin = { caseId, trial, seed, turn };
    if (volatile !== undefined) origin.volatile = volatile;
    return origin;
  }

  #addAnswer({ text, toolCalls, providerData, ranCalls }: ProviderResponse): void {
    const { messages, toolCalls: records } = this.transcript;
    const answer: AssistantMessage = { role: "assistant", text, toolCalls };
    if (providerData !== undefined) answer.providerData = providerData;
    messages.push(answer);
    if (ranCalls === undefined) return;
    const at = { turn: this.#turn, userTurn: this.#userTurn, ranBy: "agent" as const };
    for (const ran of ranCalls) records.push(recordOf(ran, at));
    this.#calls.count += ranCalls.length;
  }

  /** Runs what the model asked for. Returns why the trial cannot go on after it; null if it can. */
  async #runTools(calls: readonly RequestedToolCall[], signal: AbortSignal): Promise<KindlmError | null> {
    const exceeded = this.#overCalls(calls.length) ?? this.#overCost();
    if (exceeded !== null) return exceeded;
    const { tools, listener } = this.#settings;
    const finished = this.#reminded(await runToolCalls(calls, tools, listener, signal));
    for (const { message, record } of finished) {
      this.transcript.messages.push(message);
      this.transcript.toolCalls.push({ ...record, turn: this.#turn, userTurn: this.#userTurn });
    }
    const broken = finished.find((done) => done.isFixtureBroken);
    if (broken !== undefined) return fixtureError(broken);
    return signal.aborted ? trialStopped() : null;
  }

  /** A message between results and answer would be refused by some providers, so a reminder follows the last result. */
  #reminded(finished: readonly FinishedToolCall[]): readonly FinishedToolCall[] {
    const last = finished.at(-1);
    const reminder = last === undefined ? null : (this.#settings.remind?.(last.message) ?? null);
    if (last === undefined || reminder === null) return finished;
    const { message, record } = last;
    const content = `${message.content}\n\n${reminder.text}`;
    const events = [...(record.events ?? []), reminder.event];
    return [...finished.slice(0, -1), { ...last, message: { ...message, content }, record: { ...record, events } }];
  }

  #overCost(): KindlmError | null {
    const { limits, otherCostUsd } = this.#settings;
    const most = limits.maxTrialCostUsd;
    if (most === null || this.#spentUsd + (otherCostUsd?.() ?? 0) < most) return null;
    return kindlmError("ENGINE_BUDGET_EXCEEDED", `max_trial_cost of $${most} is used up`, {
      details: { limit: "max_trial_cost", value: most },
    });
  }

  #overCalls(requested: number): KindlmError | null {
    const most = this.#settings.limits.maxToolCalls;
    this.#calls.count += requested;
    if (this.#calls.count <= most) return null;
    return kindlmError("ENGINE_BUDGET_EXCEEDED", `The agent made more than ${plural(most, "tool call")}`, {
      details: { limit: "max_tool_calls", value: most },
    });
  }
}

function fixtureError({ record, brokenBy }: FinishedToolCall): KindlmError {
  if (brokenBy !== undefined) return brokenBy;
  return kindlmError("ENGINE_FIXTURE_ERROR", record.error?.message ?? `The tool "${record.tool}" is broken`);
}

/** A refusal or a filtered answer is an answer even without text. */
function checkAnswer(response: ProviderResponse): Result<void> {
  const { unified: finishReason, raw } = response.finishReason;
  if (response.text.trim() !== "" || finishReason === "refusal" || finishReason === "content_filter")
    return success(undefined);
  const because = finishReason === "stop" ? "" : ` (finish reason ${raw ?? finishReason})`;
  return failure(
    kindlmError("ENGINE_EMPTY_RESPONSE", `The model answered with neither text nor tool calls${because}`, {
      details: { finishReason },
    }),
  );
}

interface FinishedToolCall {
  message: ToolMessage;
  record: TrialToolCall;
  isFixtureBroken: boolean;
  brokenBy?: KindlmError;
}

/** Runs the calls that one answer of the model asked for. */
export function runToolCalls(
  calls: readonly RequestedToolCall[],
  tools: ToolRuntime,
  listener: SessionListener,
  signal: AbortSignal,
): Promise<readonly FinishedToolCall[]> {
  const invoke = async (call: RequestedToolCall): Promise<FinishedToolCall> => {
    listener.toolStarted(call);
    const invocation = await tools.invoke(call, { signal });
    listener.toolEnded(invocation);
    return toFinished(invocation);
  };
  return runInOrder(calls, (call) => tools.mayRunInParallel(call), invoke);
}

function toFinished(invocation: ToolInvocation): FinishedToolCall {
  const { call, outcome, content, isFixtureBroken, brokenBy } = invocation;
  return {
    message: { role: "tool", callId: call.id, tool: call.tool, content, isError: !outcome.ok },
    record: auditRecord(invocation),
    isFixtureBroken,
    ...(brokenBy === undefined ? {} : { brokenBy }),
  };
}
