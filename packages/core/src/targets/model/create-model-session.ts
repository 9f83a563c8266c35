import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { costUsd } from "../../providers/pricing/cost-usd.js";
import type { ProviderResponse } from "../../providers/provider.js";
import type { CallListener } from "../../resilience/call-endpoint.js";
import { callModel, type ModelQuestion } from "../../resilience/call-model.js";
import type { RoutedCall } from "../../resilience/call-route.js";
import type { ModelRoute } from "../../resilience/model-route.js";
import { failure, success, type Result } from "../../result.js";
import type { Message, RequestedToolCall } from "../../transcript/message.js";
import { recordOf } from "../../transcript/record-of.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { spentUsdOf, type TurnRecord } from "../../transcript/turn.js";
import { markOf, rollBackTo } from "../roll-back.js";
import type { SessionSettings, TargetSession } from "../target.js";
import { runToolCalls, type FinishedToolCall } from "./run-tool-calls.js";
import { plural } from "../../values/plural.js";

/** A session with a model whose tool loop KindLM runs. */
export function createModelSession(settings: SessionSettings, route: ModelRoute): TargetSession {
  const { budget, clock, listener, tools, limits } = settings;
  const messages: Message[] = [...settings.history];
  const turns: TurnRecord[] = [];
  const toolCalls: TrialToolCall[] = [];
  let userTurn = 0;
  /** Requests for the user turn so far. */
  let steps = 0;
  let turn = 0;
  /** Turns of tries that were rolled back: the model knows of none of them. */
  let undoneTurns = 0;
  let spentUsd = 0;
  /** Where on the route the conversation is; who stood in once goes on, since the others do not know what was said. */
  let position = 0;

  const callListener: CallListener = {
    attemptStarted: (attempt, provider) => listener.attemptStarted(turn, attempt, provider),
    attemptEnded: (record) => listener.attemptEnded(turn, record),
    retryStarted: (attempt, provider, waitMs, error) => listener.retryStarted(turn, attempt, provider, waitMs, error),
    retryEnded: (attempt, provider) => listener.retryEnded(turn, attempt, provider),
    fellBack: (from, to, error) => listener.fellBack(turn, from, to, error),
  };
  const callPorts = { budget, clock, random: settings.random, listener: callListener };

  const ask = async (signal: AbortSignal): Promise<Result<ProviderResponse>> => {
    turn += 1;
    const { caseId, trial, seed } = settings.origin;
    const question: ModelQuestion = {
      messages,
      tools: tools.definitions,
      origin: { caseId, trial, turn: turn - undoneTurns, seed },
    };
    if (settings.system !== null) question.system = settings.system;
    listener.turnStarted(turn);
    const call = await callModel(question, route, position, callPorts, { signal });
    position = call.position;
    const record = toTurnRecord(turn, userTurn, call, route);
    turns.push(record);
    spentUsd += record.costUsd ?? 0;
    budget.spend(spentUsdOf(record));
    listener.turnEnded(turn, record.finishReason);
    return call.result;
  };

  const overCost = (): KindlmError | null => {
    const most = limits.maxTrialCostUsd;
    if (most === null || spentUsd + (settings.otherCostUsd?.() ?? 0) < most) return null;
    return kindlmError("ENGINE_BUDGET_EXCEEDED", `max_trial_cost of $${most} is spent`, {
      details: { limit: "max_trial_cost", value: most },
    });
  };

  const overLimit = (requested: readonly RequestedToolCall[]): KindlmError | null => {
    if (toolCalls.length + requested.length > limits.maxToolCalls) {
      return kindlmError(
        "ENGINE_BUDGET_EXCEEDED",
        `The agent made more than ${plural(limits.maxToolCalls, "tool call")}`,
        {
          details: { limit: "max_tool_calls", value: limits.maxToolCalls },
        },
      );
    }
    return overCost();
  };

  return {
    transcript: { messages, turns, toolCalls },
    async send(message, { signal }) {
      if (message?.isNudge !== true) {
        userTurn += 1;
        steps = 0;
      }
      if (message !== null) messages.push(message);
      // What is asked next depends on the answer before.
      while (steps < limits.maxTurns) {
        steps += 1;
        const spent = overCost();
        if (spent !== null) return failure(spent);
        const answered = await ask(signal);
        if (!answered.success) return answered;
        const response = answered.data;
        messages.push({
          role: "assistant",
          text: response.text,
          toolCalls: response.toolCalls,
          ...(response.providerData === undefined ? {} : { providerData: response.providerData }),
        });
        for (const ran of response.ranCalls ?? []) toolCalls.push(recordOf(ran, { turn, userTurn, ranBy: "agent" }));
        if (response.toolCalls.length === 0) return checkAnswer(response);
        const exceeded = overLimit(response.toolCalls);
        if (exceeded !== null) return failure(exceeded);
        const finished = await runToolCalls(response.toolCalls, tools, listener, signal);
        for (const done of finished) {
          messages.push(done.message);
          toolCalls.push({ ...done.record, turn, userTurn });
        }
        const broken = finished.find((done) => done.isFixtureBroken);
        if (broken !== undefined) return failure(fixtureError(broken));
        if (signal.aborted) return failure(kindlmError("ENGINE_ABORTED", "The trial was stopped"));
      }
      return failure(
        kindlmError("ENGINE_MAX_TURNS", `The agent was still calling tools after ${plural(limits.maxTurns, "turn")}`, {
          details: { maxTurns: limits.maxTurns },
        }),
      );
    },
    checkpoint() {
      const mark = markOf({ messages, turns, toolCalls });
      const [userTurnThen, undoneThen] = [userTurn, undoneTurns];
      return {
        async rollBack(rejectedTry) {
          undoneTurns = undoneThen + turns.length - mark.turns;
          userTurn = userTurnThen;
          return success(rollBackTo({ messages, turns, toolCalls }, mark, rejectedTry));
        },
      };
    },
    close: async () => {},
    stderr: () => "",
  };
}

function fixtureError({ record, brokenBy }: FinishedToolCall): KindlmError {
  if (brokenBy !== undefined) return brokenBy;
  return kindlmError("ENGINE_FIXTURE_ERROR", record.error?.message ?? `The tool "${record.tool}" is broken`);
}

/** A refusal or a filtered answer is an answer even without text. */
function checkAnswer(response: ProviderResponse): Result<void> {
  const { unified, raw } = response.finishReason;
  if (response.text.trim() !== "" || unified === "refusal" || unified === "content_filter") return success(undefined);
  const because = unified === "stop" ? "" : ` (finish reason ${raw ?? unified})`;
  return failure(
    kindlmError("ENGINE_EMPTY_RESPONSE", `The model answered with neither text nor tool calls${because}`, {
      details: { finishReason: unified },
    }),
  );
}

type AnyAnswer = Pick<ProviderResponse, "usage" | "modelServed"> & Partial<ProviderResponse>;

/** What is kept of one request to the model. */
export function toTurnRecord(
  turn: number,
  userTurn: number,
  call: RoutedCall<AnyAnswer>,
  route: ModelRoute,
): TurnRecord {
  const { pricing, endpoint } = route[call.position] ?? route[0];
  const response = call.result.success ? call.result.data : null;
  const usage = response?.usage ?? null;
  const record: TurnRecord = {
    turn,
    userTurn,
    latencyMs: call.attempts.reduce((sum, attempt) => sum + attempt.latencyMs, 0),
    usage,
    // A turn that got no answer has no usage to pay for; an answer without usage or price has an unknown cost.
    costUsd: response === null ? 0 : usage === null || pricing === null ? null : costUsd(usage, pricing),
    finishReason: response?.finishReason?.unified ?? null,
    servedBy: response?.modelServed ?? null,
    fallback: response === null || call.position === 0 ? null : endpoint.model,
    timeToFirstTokenMs: response?.timeToFirstTokenMs ?? null,
    attempts: call.attempts,
  };
  if (call.attempts.at(-1)?.replayed === true) record.replayed = true;
  return record;
}
