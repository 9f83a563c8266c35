import { exactIntegersOf } from "../../values/exact-integers.js";
import { isDeepStrictEqual } from "node:util";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { auditRecord } from "../../tools/audit-record.js";
import type { ToolInvocation, ToolRuntime } from "../../tools/tool-runtime.js";
import { recordOf } from "../../transcript/record-of.js";
import type { Message, RequestedToolCall, UserMessage } from "../../transcript/message.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { TurnRecord } from "../../transcript/turn.js";
import type { Clock } from "../../values/clock.js";
import type { SessionListener, Transcript } from "../target.js";
import { markOf, rollBackTo, type TranscriptMark } from "../roll-back.js";
import { readToolResult } from "./read-tool-result.js";
import { jsonLimitOf } from "../../values/parse-json.js";
import { plural } from "../../values/plural.js";

export type RecorderMark = TranscriptMark & { userTurn: number; undoneTurns: number };

export interface RecorderSettings {
  listener: SessionListener;
  tools: ToolRuntime;
  clock: Clock;
  history: readonly Message[];
  maxToolCalls: number;
  /** Told what makes it pointless to go on with the trial. */
  stop(error: KindlmError): void;
}

/** Writes down what an agent does that runs its own loop. */
export interface Recorder {
  readonly transcript: Transcript;
  readonly userTurn: number;
  /** User messages so far, those of rejected tries counted too. */
  readonly tries: number;
  /** Turns that were rolled back. */
  readonly undoneTurns: number;
  checkpoint(): RecorderMark;
  /** Takes the conversation back to the mark, which must be from before the last user message. */
  rollBack(mark: RecorderMark, rejectedTry: number): readonly Message[];
  startUserTurn(message: UserMessage | null): void;
  addTurn(record: TurnRecord): void;
  /** The model asked for these calls; the agent will run them itself or have them run. */
  addAnswer(text: string, calls: readonly RequestedToolCall[], turn: number): void;
  /** What the agent told the model of a call. Calls that are not known, or whose result is, are passed over. */
  addResult(callId: string, content: string): void;
  /** Waits for the calls that are still being run: the agent may do without their results, but the record may not. */
  settled(signal: AbortSignal): Promise<void>;
  /** Runs a call of a tool of the test. `limit`: what keeps its arguments from being read, see `jsonLimitOf`. */
  invoke(tool: string, args: unknown, signal: AbortSignal, limit?: string): Promise<ToolInvocation>;
  /** A call that the agent ran itself. */
  addCall(call: RequestedToolCall, outcome: ToolInvocation["outcome"]): void;
  /** Ends the user turn: what is still open has no result, and this is the answer; null when there is none. */
  finish(text: string | null): void;
}

/** A call that the model asked for and whose result it has not been told yet. */
interface OpenCall {
  call: RequestedToolCall;
  record: TrialToolCall;
  startedAt: number;
  start: number;
  /** Set when the agent had it run by KindLM, which knows better what came of it than the agent's words. */
  isRun: boolean;
  isError: boolean;
}

export function createRecorder(settings: RecorderSettings): Recorder {
  const { listener, tools, clock, maxToolCalls } = settings;
  const messages: Message[] = [...settings.history];
  const turns: TurnRecord[] = [];
  const toolCalls: TrialToolCall[] = [];
  const open: OpenCall[] = [];
  const running = new Set<Promise<ToolInvocation>>();
  let userTurn = 0;
  let tries = 0;
  let undoneTurns = 0;
  let invoked = 0;

  const add = (record: TrialToolCall): void => {
    toolCalls.push(record);
    if (toolCalls.length <= maxToolCalls) return;
    const message = `The agent made more than ${plural(maxToolCalls, "tool call")}`;
    settings.stop(
      kindlmError("ENGINE_BUDGET_EXCEEDED", message, { details: { limit: "max_tool_calls", value: maxToolCalls } }),
    );
  };

  const announce = (
    call: RequestedToolCall,
    content: string,
    outcome: ToolInvocation["outcome"],
    at: OpenCall | null,
  ) => {
    if (at === null) listener.toolStarted(call);
    const startedAt = at?.startedAt ?? clock.now();
    const durationMs = at === null ? 0 : clock.monotonic() - at.start;
    listener.toolEnded({ call, outcome, events: [], isFixtureBroken: false, content, startedAt, durationMs });
  };

  const settle = (at: OpenCall, outcome: ToolInvocation["outcome"], content: string): void => {
    write(at.record, outcome);
    at.record.ranBy = "agent";
    at.record.durationMs = clock.monotonic() - at.start;
    at.isError = !outcome.ok;
    announce(at.call, content, outcome, at);
  };

  return {
    transcript: { messages, turns, toolCalls },
    get userTurn() {
      return userTurn;
    },
    get tries() {
      return tries;
    },
    get undoneTurns() {
      return undoneTurns;
    },
    checkpoint: () => ({ ...markOf({ messages, turns, toolCalls }), userTurn, undoneTurns }),
    rollBack(mark, rejectedTry) {
      undoneTurns = mark.undoneTurns + turns.length - mark.turns;
      userTurn = mark.userTurn;
      return rollBackTo({ messages, turns, toolCalls }, mark, rejectedTry);
    },
    startUserTurn(message) {
      if (message?.isNudge !== true) {
        userTurn += 1;
        tries += 1;
      }
      if (message !== null) messages.push(message);
    },
    addTurn: (record) => turns.push(record),
    addAnswer(text, calls, turn) {
      messages.push({ role: "assistant", text, toolCalls: calls });
      for (const call of calls) {
        const record = recordOf(call, { turn, userTurn });
        listener.toolStarted(call);
        open.push({ call, record, startedAt: clock.now(), start: clock.monotonic(), isRun: false, isError: false });
        add(record);
      }
    },
    addResult(callId, content) {
      const index = open.findIndex(({ call }) => call.id === callId);
      const [known] = index === -1 ? [] : open.splice(index, 1);
      if (known === undefined) return;
      if (!known.isRun) settle(known, readToolResult(content), content);
      const { tool } = known.call;
      messages.push({ role: "tool", callId, tool, content, isError: known.isError });
    },
    async settled(signal) {
      if (running.size === 0) return;
      const aborted = new Promise<void>((resolve) => {
        if (signal.aborted) return resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      // The end of one call may be the beginning of the next.
      while (running.size > 0 && !signal.aborted) await Promise.race([Promise.all(running), aborted]);
    },
    async invoke(tool, args, signal, limit) {
      const given = withinLimits(args, limit);
      const asked = open.find(
        ({ call, isRun }) => !isRun && call.tool === tool && isDeepStrictEqual(call.args ?? {}, given.args ?? {}),
      );
      invoked += 1;
      const call: RequestedToolCall = asked?.call ?? { id: `agent_${invoked}`, tool, ...given };
      if (asked !== undefined) asked.isRun = true;
      const record: TrialToolCall = asked?.record ?? recordOf(call, { userTurn });
      if (asked === undefined) {
        listener.toolStarted(call);
        add(record);
      }
      const invoking = tools.invoke(call, { signal });
      running.add(invoking);
      const invocation = await invoking;
      running.delete(invoking);
      Object.assign(record, auditRecord(invocation));
      if (asked !== undefined) asked.isError = !invocation.outcome.ok;
      listener.toolEnded(invocation);
      if (invocation.isFixtureBroken) settings.stop(fixtureError(invocation));
      return invocation;
    },
    addCall(call, outcome) {
      const record = recordOf({ ...call, ...withinLimits(call.args) }, { userTurn, ranBy: "agent" });
      write(record, outcome);
      add(record);
      announce(call, "", outcome, null);
    },
    finish(text) {
      for (const left of open.splice(0)) if (!left.isRun) settle(left, { ok: true, value: undefined }, "");
      if (text === null) return;
      const last = messages.at(-1);
      if (last?.role === "assistant" && last.toolCalls.length === 0 && last.text.trim() === text.trim()) return;
      messages.push({ role: "assistant", text, toolCalls: [] });
    },
  };
}

/** Arguments of an agent that is a function came through no parser. */
function withinLimits(
  args: unknown,
  limit = jsonLimitOf(args),
): Pick<RequestedToolCall, "args" | "exactIntegers" | "malformed"> {
  const exactIntegers = limit === null ? exactIntegersOf(args) : undefined;
  if (limit === null) return exactIntegers === undefined ? { args } : { args, exactIntegers };
  return { args: undefined, malformed: { raw: `[${limit}]`, reason: limit } };
}

function write(record: TrialToolCall, outcome: ToolInvocation["outcome"]): void {
  if (!outcome.ok) record.error = outcome.failure;
  else if (outcome.value !== undefined) record.result = outcome.value;
}

function fixtureError({ call, outcome, brokenBy }: ToolInvocation): KindlmError {
  if (brokenBy !== undefined) return brokenBy;
  const message = outcome.ok ? `The tool "${call.tool}" is broken` : outcome.failure.message;
  return kindlmError("ENGINE_FIXTURE_ERROR", message);
}
