import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { callModel, type ModelQuestion } from "../../resilience/call-model.js";
import type { CallListener } from "../../resilience/call-endpoint.js";
import type { ModelRoute, RouteStop } from "../../resilience/model-route.js";
import type { ModelParams, ProviderResponse } from "../../providers/provider.js";
import { failure, success, type Result } from "../../result.js";
import type { TargetOpening } from "../define-target.js";
import { toTurnRecord } from "../model/to-turn-record.js";
import type { Recorder } from "../program/recorder.js";
import { costRefusal, type Halt } from "../program/create-program-session.js";
import type { AgentRequest } from "./agent-request.js";
import { spentUsdOf } from "../../transcript/turn.js";
import { plural } from "../../values/plural.js";

/** The models of a test as the agent's own requests reach them. */
export interface ModelService {
  /** Fails when the trial cannot go on, or the agent no longer waits. */
  ask(request: AgentRequest, signal: AbortSignal): Promise<Result<ProviderResponse>>;
  /** What the adapter wants to have back with the answer that held this call. */
  keptOf(callId: string): unknown;
}

/**
 * Sends an agent's requests where KindLM's own would go: through budget, breaker, limiter, retry and fallback. What the
 * agent asks for itself goes before the `params` of model and test.
 */
export function createModelService(
  route: ModelRoute,
  opening: TargetOpening,
  recorder: Recorder,
  halt: Halt,
): ModelService {
  const { budget, clock, random, listener, limits } = opening;
  const kept = new Map<string, unknown>();
  let position = 0;
  let turn = 0;
  let asked = { ofTry: 0, times: 0 };

  const listenerOf = (at: number): CallListener => ({
    attemptStarted: (attempt, provider) => listener.attemptStarted(at, attempt, provider),
    attemptEnded: (record) => listener.attemptEnded(at, record),
    retryStarted: (attempt, provider, waitMs, error) => listener.retryStarted(at, attempt, provider, waitMs, error),
    retryEnded: (attempt, provider) => listener.retryEnded(at, attempt, provider),
    fellBack: (from, to, error) => listener.fellBack(at, from, to, error),
  });

  const refusal = (): KindlmError | null => {
    if (halt.error !== null) return halt.error;
    if (asked.ofTry !== recorder.tries) asked = { ofTry: recorder.tries, times: 0 };
    asked.times += 1;
    if (asked.times <= limits.maxTurns) return costRefusal(recorder.transcript.turns, opening);
    return kindlmError(
      "ENGINE_MAX_TURNS",
      `The agent was still asking its model after ${plural(limits.maxTurns, "turn")}`,
      {
        details: { maxTurns: limits.maxTurns },
      },
    );
  };

  return {
    keptOf: (callId) => kept.get(callId),
    async ask(request, signal) {
      const refused = refusal();
      if (refused !== null) {
        halt.stop(refused);
        return failure(refused);
      }
      turn += 1;
      const at = turn;
      const { userTurn, undoneTurns } = recorder;
      const { system, messages, tools, params } = request;
      const question: ModelQuestion = { messages, tools, origin: { ...opening.origin, turn: at - undoneTurns } };
      if (system !== null) question.system = system;
      listener.turnStarted(at);
      const ports = { budget, clock, random, listener: listenerOf(at) };
      const either = AbortSignal.any([signal, halt.signal]);
      const call = await callModel(question, askedFor(route, params), position, ports, { signal: either });
      position = Math.max(position, call.position);
      const record = toTurnRecord(at, userTurn, call, route);
      recorder.addTurn(record);
      budget.spend(spentUsdOf(record));
      listener.turnEnded(at, record.finishReason);
      if (!call.result.success) {
        // An agent that hung up may go on; a model that does not answer ends the trial, whatever the agent makes of it.
        if (!either.aborted) halt.stop(call.result.error);
        return call.result;
      }
      const response = call.result.data;
      for (const { id } of response.toolCalls) kept.set(id, response.providerData);
      recorder.addAnswer(response.text, response.toolCalls, at);
      for (const ran of response.ranCalls ?? []) {
        recorder.addCall({ id: "", ...ran }, { ok: true, value: undefined });
      }
      return success(response);
    },
  };
}

function askedFor([first, ...others]: ModelRoute, params: ModelParams): ModelRoute {
  const withParams = (stop: RouteStop): RouteStop => ({ ...stop, params: { ...stop.params, ...params } });
  return [withParams(first), ...others.map(withParams)];
}
