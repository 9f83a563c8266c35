import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { callModel, type ModelQuestion } from "../../resilience/call-model.js";
import type { ModelRoute, RouteTarget } from "../../resilience/model-route.js";
import type { ModelParams, ProviderResponse } from "../../providers/provider.js";
import { failure, type Result } from "../../result.js";
import type { TargetOpening } from "../define-target.js";
import { listenInTurn } from "../model/listen-in-turn.js";
import { toTurnRecord } from "../model/to-turn-record.js";
import type { Recorder } from "../program/recorder.js";
import { costRefusal, type Halt } from "../program/program-session.js";
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
 * agent asks for itself overrides the `params` of model and test.
 */
export class RoutedModel implements ModelService {
  readonly #route: ModelRoute;
  readonly #opening: TargetOpening;
  readonly #recorder: Recorder;
  readonly #halt: Halt;
  readonly #kept = new Map<string, unknown>();
  readonly keptOf = (callId: string): unknown => this.#kept.get(callId);
  #position = 0;
  #turn = 0;
  #asked = { ofTry: 0, times: 0 };

  constructor(route: ModelRoute, opening: TargetOpening, recorder: Recorder, halt: Halt) {
    this.#route = route;
    this.#opening = opening;
    this.#recorder = recorder;
    this.#halt = halt;
  }

  async ask(request: AgentRequest, signal: AbortSignal): Promise<Result<ProviderResponse>> {
    const refused = this.#refusal();
    if (refused !== null) {
      this.#halt.stop(refused);
      return failure(refused);
    }
    const either = AbortSignal.any([signal, this.#halt.signal]);
    const { turn, result } = await this.#call(request, either);
    if (!result.success) {
      // An agent that hung up may go on; a model that does not answer ends the trial, whatever the agent makes of it.
      if (!either.aborted) this.#halt.stop(result.error);
      return result;
    }
    const { text, toolCalls, providerData, ranCalls = [] } = result.data;
    for (const { id } of toolCalls) this.#kept.set(id, providerData);
    this.#recorder.addAnswer(text, toolCalls, turn);
    for (const ran of ranCalls) this.#recorder.addCall({ id: "", ...ran }, { ok: true, value: undefined });
    return result;
  }

  async #call({ system, messages, tools, params }: AgentRequest, signal: AbortSignal) {
    const { budget, clock, random, listener, origin } = this.#opening;
    this.#turn += 1;
    const turn = this.#turn;
    const { userTurn, undoneTurns } = this.#recorder;
    const question: ModelQuestion = { messages, tools, origin: { ...origin, turn: turn - undoneTurns } };
    if (system !== null) question.system = system;
    listener.turnStarted(turn);
    const ports = { budget, clock, random, listener: listenInTurn(listener, () => turn) };
    const call = await callModel(question, askedFor(this.#route, params), this.#position, ports, { signal });
    this.#position = Math.max(this.#position, call.position);
    const record = toTurnRecord(turn, userTurn, call, this.#route);
    this.#recorder.addTurn(record);
    budget.spend(spentUsdOf(record));
    listener.turnEnded(turn, record.finishReason);
    return { turn, result: call.result };
  }

  /** Why the agent may not ask; null if it may. */
  #refusal(): KindlmError | null {
    const { limits } = this.#opening;
    if (this.#halt.error !== null) return this.#halt.error;
    if (this.#asked.ofTry !== this.#recorder.tries) this.#asked = { ofTry: this.#recorder.tries, times: 0 };
    this.#asked.times += 1;
    if (this.#asked.times <= limits.maxTurns) return costRefusal(this.#recorder.transcript.turns, this.#opening);
    const message = `The agent was still asking its model after ${plural(limits.maxTurns, "turn")}`;
    return kindlmError("ENGINE_MAX_TURNS", message, { details: { maxTurns: limits.maxTurns } });
  }
}

function askedFor([first, ...others]: ModelRoute, params: ModelParams): ModelRoute {
  const withParams = (target: RouteTarget): RouteTarget => ({ ...target, params: { ...target.params, ...params } });
  return [withParams(first), ...others.map(withParams)];
}
