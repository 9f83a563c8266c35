import { trialView } from "../../assertions/trial-view.js";
import { attemptSync } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import type { RenderedSimulatedUser } from "../../plan/run-plan.js";
import type { Budget } from "../../resilience/budget.js";
import type { CallListener } from "../../resilience/call-endpoint.js";
import { callModel } from "../../resilience/call-model.js";
import type { ModelRoute } from "../../resilience/model-route.js";
import { failure, success, type Result } from "../../result.js";
import { toTurnRecord } from "../../targets/model/to-turn-record.js";
import type { Transcript } from "../../targets/target.js";
import { userText, type Message, type UserMessage } from "../../transcript/message.js";
import type { ConversationEnd, SimulatedUserRecord, SpokenMessage } from "../../transcript/simulated-user.js";
import { spentUsdOf, type TurnRecord } from "../../transcript/turn.js";
import type { Clock } from "../../values/clock.js";
import { buildTrial, totalsOf } from "../build-trial.js";
import { endMarkersOf } from "./end-markers.js";
import { readSimulatorReply } from "./read-simulator-reply.js";
import { simulatedUserError } from "./simulated-user-error.js";
import { fenceOf, renderSimulatorMessages, renderSimulatorPrompt } from "./simulator-prompt.js";
import { toSimulatedUserRecord } from "./simulated-user-record.js";

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
  /** Hears of its calls; `request` counts those of the trial, from 1. */
  listenTo(request: number): CallListener;
}

/** Gives the agent a message and waits for its answer. */
export type Send = (message: UserMessage | null) => Promise<Result<void>>;

/** A model that plays the user of one trial. */
export interface SimulatedUser {
  /** US dollars, as far as prices are known. */
  readonly spentUsd: number;
  /** Null while the conversation goes on, and when an error ended it. */
  readonly stoppedBy: ConversationEnd | null;
  /** Sends the messages that are written, then its own, until the conversation is over or an error ends it. */
  converse(
    written: readonly (UserMessage | null)[],
    send: Send,
    transcript: Transcript,
    signal: AbortSignal,
  ): Promise<Result<void>>;
  record(): SimulatedUserRecord;
}

/** How often it is asked for one message before its words are given up on. */
const mostTries = 3;

type NextMessage = { over: ConversationEnd } | { over: null; text: string };

export function createSimulatedUser(settings: SimulatedUserSettings): SimulatedUser {
  const { user, route, budget, origin, isScripted } = settings;
  const model = route[0].endpoint.model;
  const fence = fenceOf(origin.seed);
  const markers = endMarkersOf(origin.seed);
  const system = renderSimulatorPrompt(user, fence, markers);
  const volatile = { simulated_user_fence: fence, simulated_user_end: markers.id };
  const conversation: SpokenMessage[] = spokenIn(settings.history);
  const calls: TurnRecord[] = [];
  let stoppedBy: ConversationEnd | null = null;
  let spentUsd = 0;
  let sent = 0;
  let written = 0;
  /** Who stood in once goes on: it knows how the user talks. */
  let position = 0;

  const ask = async (complaint: string | null, signal: AbortSignal) => {
    const request = calls.length + 1;
    const messages = renderSimulatorMessages(conversation, [fence, markers.id], complaint);
    const ports = { budget, clock: settings.clock, random: settings.random, listener: settings.listenTo(request) };
    const question = { system, messages, tools: [], origin: { ...origin, turn: request, volatile } };
    const call = await callModel(question, route, position, ports, { signal });
    position = call.position;
    const record = toTurnRecord(request, sent + 1, call, route);
    calls.push(record);
    spentUsd += record.costUsd ?? 0;
    budget.spend(spentUsdOf(record));
    return call.result;
  };

  const write = async (transcript: Transcript, signal: AbortSignal): Promise<Result<NextMessage>> => {
    const lastAnswer = conversation.findLast(({ by }) => by === "agent")?.text ?? null;
    let complaint: string | null = null;
    let body = "";
    // It is asked again only because of what it wrote.
    for (let tries = 1; tries <= mostTries; tries += 1) {
      const refused = costRefusal(transcript, spentUsd, settings.maxTrialCostUsd);
      const answered = refused === null ? await ask(complaint, signal) : failure(refused);
      if (signal.aborted) return failure(interrupted());
      if (!answered.success) return failure(simulatedUserError(answered.error, model, tries));
      const reply = readSimulatorReply(answered.data, { lastAnswer, fence, markers, isScripted: isScripted(position) });
      if (reply.kind === "end") return success({ over: reply.by });
      if (reply.kind === "message") return success({ over: null, text: reply.text });
      complaint = reply.reason;
      body = answered.data.text;
    }
    const message = `The simulated user (${model}) wrote nothing that could be sent, in ${mostTries} tries: ${complaint}`;
    const details = { role: "simulated_user" as const, model, tries: mostTries, body: body.slice(0, 2_000) };
    return failure(kindlmError("SIMULATED_USER_ERROR", message, { details }));
  };

  const next = async (transcript: Transcript, signal: AbortSignal): Promise<Result<NextMessage>> => {
    const stopped = meetsStop(user, transcript, conversation);
    if (!stopped.success) return failure(simulatedUserError(stopped.error, model, 0));
    if (stopped.data) return success({ over: "stop" });
    // Asked once more after the last answer too: only the user knows whether that one reached the goal.
    const wrote = await write(transcript, signal);
    if (!wrote.success || wrote.data.over !== null || sent < user.maxTurns) return wrote;
    return success({ over: "max_turns" });
  };

  return {
    get spentUsd() {
      return spentUsd;
    },
    get stoppedBy() {
      return stoppedBy;
    },
    async converse(opening, send, transcript, signal) {
      const say = async (message: UserMessage | null, by: "user" | "simulated_user"): Promise<Result<void>> => {
        if (signal.aborted) return failure(interrupted());
        if (message !== null) {
          conversation.push({ by, text: userText(message) });
          sent += 1;
          if (by === "simulated_user") written += 1;
        }
        const answered = await send(message);
        if (answered.success) conversation.push({ by: "agent", text: totalsOf(transcript).output });
        return answered;
      };

      for (const message of opening) {
        const answered = await say(message, "user");
        if (!answered.success) return answered;
      }
      for (;;) {
        const wrote = await next(transcript, signal);
        if (!wrote.success) return wrote;
        if (wrote.data.over !== null) {
          stoppedBy = wrote.data.over;
          return success(undefined);
        }
        const answered = await say({ role: "user", content: wrote.data.text }, "simulated_user");
        if (!answered.success) return answered;
      }
    },
    record: () => toSimulatedUserRecord({ model, stoppedBy, turns: written, conversation, calls }),
  };
}

function interrupted(): KindlmError {
  return kindlmError("ENGINE_ABORTED", "The trial was stopped");
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
    (cause) => kindlmError("ASSERTION_EVAL_ERROR", `"stop" cannot be told: ${messageOf(cause)}`, { cause }),
  );
}

/** Why the user may not be asked any more; null when it may. Both sides pay from one purse. */
function costRefusal({ turns }: Transcript, ownUsd: number, mostUsd: number | null): KindlmError | null {
  if (mostUsd === null) return null;
  const costUsd = turns.reduce((sum, turn) => sum + (turn.costUsd ?? 0), ownUsd);
  if (costUsd === 0 || costUsd < mostUsd) return null;
  return kindlmError("ENGINE_BUDGET_EXCEEDED", `max_trial_cost of $${mostUsd} is spent`, {
    details: { limit: "max_trial_cost", value: mostUsd },
  });
}
