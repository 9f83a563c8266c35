import { isDeepStrictEqual } from "node:util";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { auditRecord } from "../../tools/audit-record.js";
import type { ToolInvocation, ToolRuntime } from "../../tools/tool-runtime.js";
import { recordOf } from "../../transcript/record-of.js";
import type { Message, RequestedToolCall, UserMessage } from "../../transcript/message.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { FiredFault } from "../../transcript/fired-fault.js";
import type { TurnRecord } from "../../transcript/turn.js";
import type { Clock } from "../../values/clock.js";
import type { SessionListener } from "../target.js";
import { markOf, rollBackTo, type GrowingTranscript, type TranscriptMark } from "../roll-back.js";
import { plural } from "../../values/plural.js";
import { breakCall, contentOf, fixtureError, outcomeOf, spoken, writeOutcome, type OpenCall } from "./recorded-call.js";
import { mergeTraced, type TracedAnswer } from "./traced-answer.js";
import { failedResult, readToolResult, withinLimits } from "./read-tool-result.js";

export type RecorderMark = TranscriptMark & { userTurn: number; undoneTurns: number };

export interface RecorderSettings {
  listener: SessionListener;
  tools: ToolRuntime;
  clock: Clock;
  history: readonly Message[];
  maxToolCalls: number;
  /** As the settings of a session have it. */
  toolCalls?: { count: number } | undefined;
  /** Called with the error that makes it pointless to continue the trial. */
  stop(error: KindlmError): void;
}

/** Writes down what an agent does that runs its own loop. */
export class Recorder {
  readonly transcript: GrowingTranscript;
  readonly #settings: RecorderSettings;
  readonly #open: OpenCall[] = [];
  readonly #running = new Set<Promise<ToolInvocation>>();
  #userTurn = 0;
  #tries = 0;
  #undoneTurns = 0;
  #invoked = 0;
  readonly #calls: { count: number };

  constructor(settings: RecorderSettings) {
    this.#calls = settings.toolCalls ?? { count: 0 };
    this.transcript = { messages: [...settings.history], turns: [], toolCalls: [] };
    this.#settings = settings;
  }

  get userTurn(): number {
    return this.#userTurn;
  }

  /** User messages so far, those of rejected tries counted too. */
  get tries(): number {
    return this.#tries;
  }

  /** Turns that were rolled back. */
  get undoneTurns(): number {
    return this.#undoneTurns;
  }

  checkpoint(): RecorderMark {
    return { ...markOf(this.transcript), userTurn: this.#userTurn, undoneTurns: this.#undoneTurns };
  }

  /** Takes the conversation back to the mark, which must be from before the last user message. */
  rollBack(mark: RecorderMark, rejectedTry: number): readonly Message[] {
    this.#undoneTurns = mark.undoneTurns + this.transcript.turns.length - mark.turns;
    this.#userTurn = mark.userTurn;
    return rollBackTo(this.transcript, mark, rejectedTry);
  }

  startUserTurn(message: UserMessage | null): void {
    if (message?.isNudge !== true) {
      this.#userTurn += 1;
      this.#tries += 1;
    }
    if (message !== null) this.transcript.messages.push(message);
  }

  addTurn(record: TurnRecord): void {
    this.transcript.turns.push(record);
  }

  /** The model asked for these calls; the agent will run them itself or have them run. */
  addAnswer(text: string, calls: readonly RequestedToolCall[], turn: number): void {
    const { listener, clock } = this.#settings;
    this.transcript.messages.push({ role: "assistant", text, toolCalls: calls });
    for (const call of calls) {
      const record = recordOf(call, { turn, userTurn: this.#userTurn });
      listener.toolStarted(call);
      const [startedAt, start] = [clock.now(), clock.monotonic()];
      this.#open.push({ call, record, startedAt, start, isRun: false, isError: false });
      this.#add(record);
    }
  }

  /** What the agent reported to the model about a call. Calls that are not known, or whose result is, are ignored. */
  addResult(callId: string, content: string, isError = false): void {
    const index = this.#open.findIndex(({ call }) => call.id === callId);
    const [known] = index === -1 ? [] : this.#open.splice(index, 1);
    if (known === undefined) return;
    if (!known.isRun) this.#settle(known, isError ? failedResult(content) : readToolResult(content), content);
    const { tool } = known.call;
    this.transcript.messages.push({ role: "tool", callId, tool, content, isError: known.isError });
  }

  /**
   * The agent got a call of this turn with arguments that do not parse. `callId`: null if what it got had none, which
   * means the first one.
   */
  breakArguments(callId: string | null, turn: number | undefined, fault: FiredFault): void {
    const open = this.#open.find(({ call, record }) => (callId === null ? record.turn === turn : call.id === callId));
    if (open !== undefined) breakCall(open, this.transcript.messages, fault);
  }

  /** Waits for the calls that are still being run: the agent may do without their results, but the record may not. */
  async settled(signal: AbortSignal): Promise<void> {
    const running = this.#running;
    if (running.size === 0) return;
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) return resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    // The end of one call may be the beginning of the next.
    while (running.size > 0 && !signal.aborted) await Promise.race([Promise.all(running), aborted]);
  }

  /** Runs a call of a tool of the test. `limit`: what keeps its arguments from being read, see `jsonLimitOf`. */
  async invoke(
    tool: string,
    args: unknown,
    signal: AbortSignal,
    { limit, agent }: { limit?: string | undefined; agent?: string | undefined } = {},
  ): Promise<ToolInvocation> {
    const { listener, tools, stop } = this.#settings;
    const given = withinLimits(args, limit);
    const asked = this.#open.find(
      ({ call, isRun }) => !isRun && call.tool === tool && isDeepStrictEqual(call.args ?? {}, given.args ?? {}),
    );
    this.#invoked += 1;
    const call: RequestedToolCall = asked?.call ?? { id: `agent_${this.#invoked}`, tool, ...given };
    if (asked !== undefined) asked.isRun = true;
    const record: TrialToolCall = asked?.record ?? recordOf(call, { userTurn: this.#userTurn });
    if (agent !== undefined) record.agent = agent;
    if (asked === undefined) {
      this.#askedBy(call, agent);
      listener.toolStarted(call);
      this.#add(record);
    }
    const invoking = tools.invoke(call, { signal });
    this.#running.add(invoking);
    const invocation = await invoking;
    this.#running.delete(invoking);
    Object.assign(record, auditRecord(invocation));
    if (asked !== undefined) asked.isError = !invocation.outcome.ok;
    else this.#answered(call, agent, invocation);
    listener.toolEnded(invocation);
    if (invocation.isFixtureBroken) stop(fixtureError(invocation));
    return invocation;
  }

  /** A call that the agent ran itself. */
  addCall(call: RequestedToolCall, outcome: ToolInvocation["outcome"], agent?: string): void {
    const limited = { ...call, ...withinLimits(call.args) };
    const record = recordOf(limited, { userTurn: this.#userTurn, ranBy: "agent" });
    writeOutcome(record, outcome);
    if (agent !== undefined) record.agent = agent;
    this.#askedBy(limited, agent);
    this.#addRan(record, outcome, call.id);
    this.#answered(limited, agent, { outcome, content: contentOf(outcome) });
  }

  /** Words that are not the last ones of an answer. */
  say(text: string, agent: string | undefined): void {
    this.transcript.messages.push(spoken(text, [], agent));
  }

  /** Of agents with names, the conversation has the calls, too: it shows which of them followed which. */
  #askedBy(call: RequestedToolCall, agent: string | undefined): void {
    if (agent !== undefined) this.transcript.messages.push(spoken("", [call], agent));
  }

  #answered(
    { id: callId, tool }: RequestedToolCall,
    agent: string | undefined,
    { outcome, content }: Pick<ToolInvocation, "outcome" | "content">,
  ): void {
    if (agent === undefined) return;
    this.transcript.messages.push({ role: "tool", callId, tool, content, isError: !outcome.ok });
  }

  /** What the spans of the agent show. */
  addTraced(answer: TracedAnswer): void {
    mergeTraced(this.transcript, answer, this.#userTurn, (record) => this.#addRan(record, outcomeOf(record)));
  }

  /** Ends the user turn: what is still open has no result, and this is the answer; null when there is none. */
  finish(text: string | null, named?: string): void {
    for (const left of this.#open.splice(0)) if (!left.isRun) this.#settle(left, { ok: true, value: undefined }, "");
    if (text === null) return;
    const last = this.transcript.messages.at(-1);
    if (last?.role === "assistant" && last.toolCalls.length === 0 && last.text.trim() === text.trim()) return;
    this.transcript.messages.push(spoken(text, [], named ?? (last?.role === "assistant" ? last.agent : undefined)));
  }

  #addRan(record: TrialToolCall, outcome: ToolInvocation["outcome"], id?: string): void {
    const { listener, clock } = this.#settings;
    const { tool, args, startedAt = clock.now(), durationMs = 0 } = record;
    if (id === undefined) this.#invoked += 1;
    const call = { id: id ?? `agent_${this.#invoked}`, tool, args };
    this.#add(record);
    listener.toolStarted(call);
    this.#announce(call, "", outcome, { startedAt, durationMs: durationMs ?? 0 });
  }

  #add(record: TrialToolCall): void {
    const { maxToolCalls, stop } = this.#settings;
    this.transcript.toolCalls.push(record);
    this.#calls.count += 1;
    if (this.#calls.count <= maxToolCalls) return;
    const message = `The agent made more than ${plural(maxToolCalls, "tool call")}`;
    stop(kindlmError("ENGINE_BUDGET_EXCEEDED", message, { details: { limit: "max_tool_calls", value: maxToolCalls } }));
  }

  #settle(at: OpenCall, outcome: ToolInvocation["outcome"], content: string): void {
    const { startedAt } = at;
    const durationMs = this.#settings.clock.monotonic() - at.start;
    writeOutcome(at.record, outcome);
    Object.assign(at.record, { ranBy: "agent", startedAt, durationMs });
    at.isError = !outcome.ok;
    this.#announce(at.call, content, outcome, { startedAt, durationMs });
  }

  #announce(
    call: RequestedToolCall,
    content: string,
    outcome: ToolInvocation["outcome"],
    times: Pick<ToolInvocation, "startedAt" | "durationMs">,
  ): void {
    this.#settings.listener.toolEnded({ call, outcome, events: [], isFixtureBroken: false, content, ...times });
  }
}
