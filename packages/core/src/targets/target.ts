import type { KindlmError } from "../errors/kindlm-error.js";
import type { Result } from "../result.js";
import type { RequestOrigin } from "../providers/provider.js";
import type { Budget } from "../resilience/budget.js";
import type { CalledModel, RetryWait } from "../resilience/call-endpoint.js";
import type { ToolInvocation, ToolRuntime } from "../tools/tool-runtime.js";
import type { AttemptRecord } from "../transcript/attempt.js";
import type { GatewayRecord } from "../transcript/gateway-record.js";
import type { Message, RequestedToolCall, UserMessage } from "../transcript/message.js";
import type { ToolEvent } from "../transcript/tool-event.js";
import type { TrialToolCall } from "../transcript/trial.js";
import type { TurnRecord } from "../transcript/turn.js";
import type { Clock } from "../values/clock.js";

/** What was said and done so far in a trial; it grows while the session goes on. */
export interface Transcript {
  readonly messages: readonly Message[];
  readonly turns: readonly TurnRecord[];
  readonly toolCalls: readonly TrialToolCall[];
  /** What was done to the agent's own requests; absent if KindLM saw none. */
  readonly gateway?: GatewayRecord;
}

/** A place in a conversation that it can be taken back to. */
export interface Checkpoint {
  /**
   * Takes the conversation back to here and gives the messages that are gone. What was asked, paid and done since then
   * stays in the transcript, marked with the try: what a tool did cannot be undone. Fails with ENGINE_FIXTURE_ERROR
   * where the agent's own memory cannot follow.
   */
  rollBack(rejectedTry: number): Promise<Result<readonly Message[]>>;
}

/** One conversation with what is tested. */
export interface TargetSession {
  readonly transcript: Transcript;
  /**
   * Gives the agent a user message (null: it goes on from its history) and waits until it has answered it, tools
   * included. The error is what stopped the trial; the transcript keeps what there was until then.
   */
  send(message: UserMessage | null, options: { signal: AbortSignal }): Promise<Result<void>>;
  /** Where the conversation is; to be asked for between two messages. */
  checkpoint(): Checkpoint;
  /** Ends what the session holds open: no process, no address is left when it resolves. */
  close(): Promise<void>;
  /** The end of what the agent's own program wrote to stderr; empty for other targets. */
  stderr(): string;
}

/** The session with another way to send. */
export function withSend(session: TargetSession, send: TargetSession["send"]): TargetSession {
  return {
    transcript: session.transcript,
    send,
    checkpoint: () => session.checkpoint(),
    close: () => session.close(),
    stderr: () => session.stderr(),
  };
}

/** What every kind of session is opened with. */
export interface SessionSettings {
  budget: Budget;
  clock: Clock;
  /** Repeatable for run seed, case and trial. */
  random(): number;
  listener: SessionListener;
  system: string | null;
  history: readonly Message[];
  tools: ToolRuntime;
  limits: { maxTurns: number; maxToolCalls: number; maxTrialCostUsd: number | null };
  origin: Pick<RequestOrigin, "caseId" | "trial" | "seed" | "volatile">;
  /** The calls that all agents of the trial made; absent if there is one agent. */
  toolCalls?: { count: number };
  /** Asked after the calls of each turn: what the agent receives with the result of the last one; null for nothing. */
  remind?: ((last: { callId: string; tool: string }) => { text: string; event: ToolEvent } | null) | undefined;
  /** The cost of the trial without its agent, in US dollars; absent when nothing else can. */
  otherCostUsd?(): number;
}

/** Hears what happens inside a session; every start is followed by its end. */
export interface SessionListener {
  turnStarted(turn: number): void;
  turnEnded(turn: number, finishReason: string | null): void;
  /** As the listener of a call has them. */
  queueStarted(turn: number, model: CalledModel): void;
  queueEnded(turn: number, model: CalledModel): void;
  attemptStarted(turn: number, attempt: number, model: CalledModel): void;
  attemptEnded(turn: number, record: AttemptRecord): void;
  retryStarted(turn: number, model: CalledModel, wait: RetryWait): void;
  retryEnded(turn: number, attempt: number, provider: string): void;
  /** From this turn on the model `to` answers in place of `from`. */
  fellBack(turn: number, from: string, to: string, error: KindlmError): void;
  toolStarted(call: RequestedToolCall): void;
  toolEnded(invocation: ToolInvocation): void;
}
