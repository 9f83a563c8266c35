import { everyTurn } from "../../transcript/delegated-calls.js";
import { trialView } from "../../assertions/trial-view.js";
import { attemptSync } from "../../errors/boundary.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { messageOf } from "../../errors/message-of.js";
import { trialStopped } from "../../errors/trial-stopped.js";
import type { RenderedSimulatedUser } from "../../plan/run-plan.js";
import type { ProviderResponse } from "../../providers/provider.js";
import type { Budget } from "../../resilience/budget.js";
import type { CallListener } from "../../resilience/call-endpoint.js";
import { callModel } from "../../resilience/call-model.js";
import type { ModelRoute } from "../../resilience/model-route.js";
import { failure, success, type Result } from "../../result.js";
import { toTurnRecord } from "../../targets/model/to-turn-record.js";
import type { Transcript } from "../../targets/target.js";
import { auxiliaryTotalsOf } from "../../transcript/auxiliary-totals.js";
import { userText, type Message, type UserMessage } from "../../transcript/message.js";
import type { ConversationEnd, SimulatedUserRecord, SpokenMessage } from "../../transcript/simulated-user.js";
import { spentUsdOf, type TurnRecord } from "../../transcript/turn.js";
import type { Clock } from "../../values/clock.js";
import { buildTrial, totalsOf } from "../build-trial.js";
import type { SendMessage } from "../send-message.js";
import { wrapAuxiliaryError } from "../wrap-auxiliary-error.js";
import { endMarkersOf } from "./end-markers.js";
import { readSimulatorReply } from "./read-simulator-reply.js";
import { fenceOf, renderSimulatorMessages, renderSimulatorPrompt } from "./simulator-prompt.js";

export interface SimulatedUserSettings {
  user: RenderedSimulatedUser;
  route: ModelRoute;
  /** Whether the model at this place of the route is a script. */
  isScripted(position: number): boolean;
  history: readonly Message[];
  maxTrialCostUsd: number | null;
  /** `seed` is the user's own: repeatable for run seed, case and trial. */
  origin: { caseId: string; trial: number; seed: number };
  budget: Budget;
  clock: Clock;
  random(): number;
  /** Is notified of its calls; `request` counts those of the trial, from 1. */
  listenTo(request: number): CallListener;
}

/** How often it is asked for one message before its words are given up on. */
const mostTries = 3;

type NextMessage = { over: ConversationEnd } | { over: null; text: string };

/** A model that plays the user of one trial. */
export class SimulatedUser {
  readonly #settings: SimulatedUserSettings;
  readonly #model: string;
  readonly #fence: string;
  readonly #markers: ReturnType<typeof endMarkersOf>;
  readonly #system: string;
  readonly #conversation: SpokenMessage[];
  readonly #calls: TurnRecord[] = [];
  #stoppedBy: ConversationEnd | null = null;
  #spentUsd = 0;
  #sent = 0;
  #written = 0;
  /** A fallback stays once it was needed: it knows how the user talks. */
  #position = 0;

  constructor(settings: SimulatedUserSettings) {
    const { user, route, origin, history } = settings;
    this.#settings = settings;
    this.#model = route[0].endpoint.model;
    this.#fence = fenceOf(origin.seed);
    this.#markers = endMarkersOf(origin.seed);
    this.#system = renderSimulatorPrompt(user, this.#fence, this.#markers);
    this.#conversation = spokenIn(history);
  }

  /** US dollars, as far as prices are known. */
  get spentUsd(): number {
    return this.#spentUsd;
  }

  /** Null while the conversation goes on, and when an error ended it. */
  get stoppedBy(): ConversationEnd | null {
    return this.#stoppedBy;
  }

  /** Sends the messages that are written, then its own, until the conversation is over or an error ends it. */
  async converse(
    written: readonly (UserMessage | null)[],
    send: SendMessage,
    transcript: Transcript,
    signal: AbortSignal,
  ): Promise<Result<void>> {
    const say = async (message: UserMessage | null, by: "user" | "simulated_user"): Promise<Result<void>> => {
      if (signal.aborted) return failure(trialStopped());
      if (message !== null) {
        this.#conversation.push({ by, text: userText(message) });
        this.#sent += 1;
        if (by === "simulated_user") this.#written += 1;
      }
      const answered = await send(message);
      if (answered.success) this.#conversation.push({ by: "agent", text: totalsOf(transcript).output });
      return answered;
    };

    for (const message of written) {
      const answered = await say(message, "user");
      if (!answered.success) return answered;
    }
    for (;;) {
      const wrote = await this.#next(transcript, signal);
      if (!wrote.success) return wrote;
      if (wrote.data.over !== null) {
        this.#stoppedBy = wrote.data.over;
        return success(undefined);
      }
      const answered = await say({ role: "user", content: wrote.data.text }, "simulated_user");
      if (!answered.success) return answered;
    }
  }

  record(): SimulatedUserRecord {
    return {
      model: this.#model,
      stoppedBy: this.#stoppedBy,
      turns: this.#written,
      conversation: this.#conversation,
      calls: this.#calls,
      ...auxiliaryTotalsOf(this.#calls),
    };
  }

  async #next(transcript: Transcript, signal: AbortSignal): Promise<Result<NextMessage>> {
    const { user } = this.#settings;
    const stopped = meetsStop(user, transcript, this.#conversation);
    if (!stopped.success) return failure(simulatedUserError(stopped.error, this.#model, 0));
    if (stopped.data) return success({ over: "stop" });
    // Asked again after the last answer too: only the user knows whether that one reached the goal.
    const wrote = await this.#write(transcript, signal);
    if (!wrote.success || wrote.data.over !== null || this.#sent < user.maxTurns) return wrote;
    return success({ over: "max_turns" });
  }

  async #write(transcript: Transcript, signal: AbortSignal): Promise<Result<NextMessage>> {
    const { maxTrialCostUsd } = this.#settings;
    const model = this.#model;
    let complaint: string | null = null;
    let body = "";
    // It is asked again only because of what it wrote.
    for (let tries = 1; tries <= mostTries; tries += 1) {
      const refused = costRefusal(transcript, this.#spentUsd, maxTrialCostUsd);
      const answered = refused === null ? await this.#ask(complaint, signal) : failure(refused);
      if (signal.aborted) return failure(trialStopped());
      if (!answered.success) return failure(simulatedUserError(answered.error, model, tries));
      const reply = this.#read(answered.data);
      if (reply.kind === "end") return success({ over: reply.by });
      if (reply.kind === "message") return success({ over: null, text: reply.text });
      complaint = reply.reason;
      body = answered.data.text;
    }
    const message = `The simulated user (${model}) wrote nothing that could be sent, in ${mostTries} tries: ${complaint}`;
    const details = { role: "simulated_user" as const, model, tries: mostTries, body: body.slice(0, 2_000) };
    return failure(kindlmError("SIMULATED_USER_ERROR", message, { details }));
  }

  async #ask(complaint: string | null, signal: AbortSignal): Promise<Result<ProviderResponse>> {
    const { budget, clock, random, listenTo, route, origin } = this.#settings;
    const request = this.#calls.length + 1;
    const [fence, end] = [this.#fence, this.#markers.id];
    const messages = renderSimulatorMessages(this.#conversation, [fence, end], complaint);
    const ports = { budget, clock, random, listener: listenTo(request) };
    const volatile = { simulated_user_fence: fence, simulated_user_end: end };
    const question = { system: this.#system, messages, tools: [], origin: { ...origin, turn: request, volatile } };
    const call = await callModel(question, route, this.#position, ports, { signal });
    this.#position = call.position;
    const record = toTurnRecord(request, this.#sent + 1, call, route);
    this.#calls.push(record);
    this.#spentUsd += record.costUsd ?? 0;
    budget.spend(spentUsdOf(record));
    return call.result;
  }

  #read(response: ProviderResponse): ReturnType<typeof readSimulatorReply> {
    return readSimulatorReply(response, {
      lastAnswer: this.#conversation.findLast(({ by }) => by === "agent")?.text ?? null,
      fence: this.#fence,
      markers: this.#markers,
      isScripted: this.#settings.isScripted(this.#position),
    });
  }
}

/** Says of an error that the model that plays the user met it, and not the agent. */
export function simulatedUserError(error: KindlmError, model: string, tries: number): KindlmError {
  return wrapAuxiliaryError(error, (details, cause) =>
    kindlmError("SIMULATED_USER_ERROR", `The simulated user (${model}) could not go on: ${error.message}`, {
      details: { role: "simulated_user", model, tries, ...details },
      cause,
    }),
  );
}

/** Words only: what the user of the history saw. */
function spokenIn(history: readonly Message[]): SpokenMessage[] {
  return history.flatMap((message): readonly SpokenMessage[] => {
    if (message.role === "user") return [{ by: "user", text: userText(message) }];
    return message.role === "assistant" && message.text.trim() !== "" ? [{ by: "agent", text: message.text }] : [];
  });
}

/** Whether the last answer ends the conversation. Before the first one nothing does. */
function meetsStop(
  { stop }: RenderedSimulatedUser,
  transcript: Transcript,
  conversation: readonly SpokenMessage[],
): Result<boolean> {
  if (stop === null || conversation.at(-1)?.by !== "agent") return success(false);
  const view = trialView(buildTrial(transcript, totalsOf(transcript), 0, null));
  return attemptSync(
    () => stop.match(view).pass,
    (cause) => kindlmError("ASSERTION_EVAL_ERROR", `"stop" cannot be evaluated: ${messageOf(cause)}`, { cause }),
  );
}

/** Why the user may no longer be called; null if it may. Both sides share one budget. */
function costRefusal(transcript: Transcript, ownUsd: number, mostUsd: number | null): KindlmError | null {
  if (mostUsd === null) return null;
  const costUsd = [...everyTurn(transcript)].reduce((sum, turn) => sum + (turn.costUsd ?? 0), ownUsd);
  if (costUsd === 0 || costUsd < mostUsd) return null;
  return kindlmError("ENGINE_BUDGET_EXCEEDED", `max_trial_cost of $${mostUsd} is used up`, {
    details: { limit: "max_trial_cost", value: mostUsd },
  });
}
