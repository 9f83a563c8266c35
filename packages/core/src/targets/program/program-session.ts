import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { trialStopped } from "../../errors/trial-stopped.js";
import { failure, success, type Result } from "../../result.js";
import { userText, type UserMessage } from "../../transcript/message.js";
import { spentUsdOf, type TurnRecord } from "../../transcript/turn.js";
import type { Usage } from "../../transcript/usage.js";
import type { TargetOpening } from "../define-target.js";
import type { Checkpoint, TargetSession, Transcript } from "../target.js";
import type { TracedConversation } from "../../traces/read-conversation.js";
import type { TrialTrace } from "../traces/trial-trace.js";
import { Recorder } from "./recorder.js";
import { tracedAnswer } from "./traced-answer.js";
import { untraced } from "./target-error.js";

/** One user message on its way to a program. */
export interface Question {
  message: UserMessage | null;
  /** Its text; empty without a message. */
  text: string;
  /** Which message to the agent it is, from 1. Nudges count: the agent takes them for messages of the user. */
  number: number;
}

/** The answer of a program to a user message. Values that it does not report are null. */
export interface ProgramAnswer {
  text: string;
  usage: Usage | null;
  costUsd: number | null;
  model: string | null;
  finishReason: string | null;
  /** The agent that gave it, by name; absent if the program names none. */
  agent?: string;
  /** How long it took, milliseconds; absent for the time that the agent was waited for. */
  latencyMs?: number;
  /** How long it took when it was recorded, milliseconds; absent for an answer that was given just now. */
  replayedMs?: number;
  /** Of a program that ended with its answer. */
  exitCode?: number;
  /** What that program wrote, of which the answer is a part. */
  stdout?: string;
}

/** How messages get to a program and its answers back. */
export interface ProgramExchange {
  /** Waits for the whole answer. The signal ends the wait: the program has to be gone, or left behind, soon after. */
  ask(question: Question, signal: AbortSignal): Promise<Result<ProgramAnswer>>;
  /** Makes the agent forget what was said: its next message begins a new conversation. */
  restart(): Promise<void>;
  close(): Promise<void>;
  stderr(): string;
  /** What to do about an answer that did not end before the deadline of the trial. */
  lateHint?: string;
}

/** Ends a trial from within: the first reason counts. */
export interface Halt {
  readonly error: KindlmError | null;
  readonly signal: AbortSignal;
  /** Why the agent fails, should it fail now. */
  readonly blamed: KindlmError | null;
  stop(error: KindlmError): void;
  blame(error: KindlmError | null): void;
}

export function createHalt(): Halt {
  const controller = new AbortController();
  let error: KindlmError | null = null;
  let blamed: KindlmError | null = null;
  return {
    get error() {
      return error;
    },
    get blamed() {
      return blamed;
    },
    signal: controller.signal,
    stop(reason) {
      error ??= reason;
      controller.abort();
    },
    blame(reason) {
      blamed = reason;
    },
  };
}

export function recorderOf(opening: TargetOpening, halt: Halt): Recorder {
  const { listener, tools, clock, history, limits, toolCalls } = opening;
  const { maxToolCalls } = limits;
  return new Recorder({ listener, tools, clock, history, maxToolCalls, toolCalls, stop: halt.stop });
}

const ownMemoryText =
  "The agent keeps the conversation itself, so only its answer to the first user message can be tried again";

/** A session with a program that runs its own loop. Each answer is one turn, unless its own requests are recorded. */
export class ProgramSession implements TargetSession {
  readonly transcript: Transcript;
  readonly #opening: TargetOpening;
  readonly #recorder: Recorder;
  readonly #halt: Halt;
  readonly #exchange: ProgramExchange;
  #sent = 0;

  constructor(opening: TargetOpening, recorder: Recorder, halt: Halt, exchange: ProgramExchange) {
    this.transcript = recorder.transcript;
    this.#opening = opening;
    this.#recorder = recorder;
    this.#halt = halt;
    this.#exchange = exchange;
  }

  async send(message: UserMessage | null, { signal }: { signal: AbortSignal }): Promise<Result<void>> {
    const { toolCalls } = this.transcript;
    const halt = this.#halt;
    const spent = this.#opening.budget.refusal() ?? costRefusal(this.transcript, this.#opening);
    if (spent !== null) return failure(spent);
    const callsBefore = toolCalls.length;
    this.#recorder.startUserTurn(message);
    const text = message === null ? "" : userText(message);
    this.#sent += 1;
    // So that nothing more is served to an agent that is about to be gone.
    const onAbort = (): void => halt.stop(trialStopped(this.#exchange.lateHint));
    signal.addEventListener("abort", onAbort, { once: true });
    const either = AbortSignal.any([signal, halt.signal]);
    const answered = await this.#ask({ message, text, number: this.#sent }, either);
    if (answered.success) await this.#recorder.settled(either);
    // Calls that an agent which is gone has left behind are not made, also those that a plugin is being asked about.
    else halt.stop(halt.blamed ?? answered.error);
    signal.removeEventListener("abort", onAbort);
    if (answered.success) this.#recorder.finish(answered.data.text, answered.data.agent);
    else this.#recorder.finish(null);
    if (halt.error !== null) return failure(halt.error);
    if (signal.aborted) return failure(trialStopped());
    if (!answered.success) return answered;
    if (answered.data.text.trim() !== "" || toolCalls.length > callsBefore) return success(undefined);
    return failure(kindlmError("ENGINE_EMPTY_RESPONSE", "The agent answered with neither text nor tool calls"));
  }

  checkpoint(): Checkpoint {
    const mark = this.#recorder.checkpoint();
    return {
      rollBack: async (rejectedTry) => {
        // What the agent itself remembers can be taken back to its beginning and to nowhere else.
        if (mark.userTurn > 0) return failure(kindlmError("ENGINE_FIXTURE_ERROR", ownMemoryText));
        await this.#exchange.restart();
        this.#sent = 0;
        return success(this.#recorder.rollBack(mark, rejectedTry));
      },
    };
  }

  async close(): Promise<void> {
    await this.#exchange.close();
    this.#opening.traced?.close();
  }

  stderr(): string {
    return this.#exchange.stderr();
  }

  /** Records the answer as a turn, unless the gateway records the agent's own requests. */
  async #ask(question: Question, signal: AbortSignal): Promise<Result<ProgramAnswer>> {
    const { route, clock, listener, budget, traced } = this.#opening;
    if (route !== null) return this.#exchange.ask(question, signal);
    if (traced !== undefined) return this.#askTraced(question, traced.trace, signal);
    const turn = this.transcript.turns.length + 1;
    listener.turnStarted(turn);
    const startedAt = clock.monotonic();
    const answered = await this.#exchange.ask(question, signal);
    const latencyMs = clock.monotonic() - startedAt;
    const record = turnRecord(turn, this.#recorder.userTurn, latencyMs, answered.success ? answered.data : null);
    this.#recorder.addTurn(record);
    budget.spend(spentUsdOf(record));
    listener.turnEnded(turn, record.finishReason);
    return answered;
  }

  /** Records the turns and calls that the agent's spans show. The answer is the agent's, as with requests that are proxied. */
  async #askTraced(question: Question, trace: TrialTrace, signal: AbortSignal): Promise<Result<ProgramAnswer>> {
    const answered = await this.#exchange.ask(question, signal);
    if (!answered.success) return answered;
    if (answered.data.replayedMs !== undefined) return failure(untraced(noSpansText, "Run it with --cassette off"));
    const told = await trace.conversation(signal);
    if (!told.success) return told;
    this.#addTraced(told.data, answered.data);
    const { text } = answered.data;
    return success(
      text.trim() === "" ? { ...answered.data, text: told.data.conversation?.trial.output ?? "" } : answered.data,
    );
  }

  #addTraced(told: TracedConversation, answer: ProgramAnswer): void {
    const { listener, budget } = this.#opening;
    const traced = tracedAnswer(told, this.transcript.turns.length, this.#recorder.userTurn);
    const last = traced.turns.at(-1);
    if (last !== undefined) Object.assign(last, endOf(answer));
    this.#recorder.addTraced(traced);
    for (const turn of traced.turns) {
      listener.turnStarted(turn.turn);
      budget.spend(spentUsdOf(turn));
      listener.turnEnded(turn.turn, turn.finishReason);
    }
  }
}

const noSpansText = "The answer came from a recording, which has no spans";

/** Why the trial may ask for nothing more; null when it may. */
export function costRefusal(
  { turns, gateway }: Transcript,
  { limits: { maxTrialCostUsd }, otherCostUsd }: Pick<TargetOpening, "limits" | "otherCostUsd">,
): KindlmError | null {
  const paid = [...turns, ...(gateway?.embeddings?.calls ?? [])];
  const costUsd = paid.reduce((sum, call) => sum + (call.costUsd ?? 0), otherCostUsd?.() ?? 0);
  if (maxTrialCostUsd === null || costUsd === 0 || costUsd < maxTrialCostUsd) return null;
  return kindlmError("ENGINE_BUDGET_EXCEEDED", `The trial has cost more than $${maxTrialCostUsd}`, {
    details: { limit: "max_trial_cost", value: maxTrialCostUsd },
  });
}

/** An answer without a cost has an unknown one, as that of a model without a price; what gave none cost nothing known. */
function turnRecord(turn: number, userTurn: number, elapsedMs: number, answer: ProgramAnswer | null): TurnRecord {
  const record: TurnRecord = {
    turn,
    userTurn,
    latencyMs: answer?.replayedMs ?? answer?.latencyMs ?? elapsedMs,
    usage: answer?.usage ?? null,
    costUsd: answer?.costUsd ?? null,
    finishReason: answer?.finishReason ?? null,
    servedBy: answer?.model ?? null,
    fallback: null,
    timeToFirstTokenMs: null,
    attempts: [],
  };
  if (answer?.replayedMs !== undefined) record.replayed = true;
  if (answer?.agent !== undefined) record.agent = answer.agent;
  return answer === null ? record : Object.assign(record, endOf(answer));
}

/** How a program ended that did so with its answer. */
function endOf({ exitCode, stdout }: ProgramAnswer): Pick<TurnRecord, "exitCode" | "stdout"> {
  return { ...(exitCode === undefined ? {} : { exitCode }), ...(stdout === undefined ? {} : { stdout }) };
}
