import { expect, it } from "vitest";
import { spansOfJson } from "../traces/otlp-json.js";
import { readConversation } from "../traces/read-conversation.js";
import type { Message } from "../transcript/message.js";
import { handOffsIn } from "../transcript/named-agents.js";
import type { TrialToolCall } from "../transcript/trial.js";
import type { TurnRecord } from "../transcript/turn.js";
import { conversationSpans, type SpokenConversation } from "./conversation-spans.js";
import { renderRequest } from "./otlp-request.js";

const startMs = 1_760_000_000_000;
const place = { traceId: "1".repeat(32), parentId: "2".repeat(16), startMs, hasContent: true };

const turn = (number: number, more: Partial<TurnRecord> = {}): TurnRecord => ({
  turn: number,
  userTurn: 1,
  latencyMs: 10,
  timeToFirstTokenMs: null,
  usage: { inputTokens: 10, outputTokens: 2 },
  costUsd: 0.5,
  finishReason: "stop",
  servedBy: "small",
  fallback: null,
  attempts: [],
  ...more,
});

function readAgain(conversation: SpokenConversation) {
  const request = renderRequest(conversationSpans(conversation, place), {});
  const spans = spansOfJson(JSON.stringify(request));
  const read = readConversation(spans.success ? spans.data : []);
  if (!read.success) throw new Error(JSON.stringify(read.error));
  return read.data;
}

const user: Message = { role: "user", content: "Refund ORD-7" };
const call = { id: "c1", tool: "refund", args: { id: "ORD-7" } };

it("keeps the agents, what failed, and how often a model was asked", () => {
  const messages: readonly Message[] = [
    { role: "user", content: "Hello" },
    { role: "assistant", text: "Hi", toolCalls: [] },
    user,
    { role: "assistant", text: "I ask billing.", toolCalls: [], agent: "triage" },
    { role: "assistant", text: "", toolCalls: [call], agent: "billing" },
    { role: "tool", callId: "c1", tool: "refund", content: "card expired", isError: true },
    { role: "assistant", text: "It failed.", toolCalls: [], agent: "billing" },
  ];
  const error = { errorType: "logical", message: "card expired", retryable: false } as const;
  const toolCalls: readonly TrialToolCall[] = [
    { ...call, error, durationMs: 5, turn: 2, userTurn: 1, agent: "billing" },
  ];
  const { conversation, turns } = readAgain({ messages, toolCalls, turns: [turn(1), turn(2), turn(3)] });
  expect(turns.map(({ agent, latencyMs }) => [agent, Math.round(latencyMs)])).toEqual([
    ["triage", 10],
    ["billing", 10],
    ["billing", 10],
  ]);
  const { trial, historyLength } = conversation ?? {};
  expect(historyLength).toBe(2);
  expect(trial).toMatchObject({ output: "It failed.", turns: 3, costUsd: 1.5, servedBy: ["small"] });
  expect(trial?.usage).toEqual({ inputTokens: 30, outputTokens: 6 });
  expect(trial?.toolCalls).toMatchObject([{ tool: "refund", args: { id: "ORD-7" }, agent: "billing" }]);
  expect(trial?.toolCalls?.[0]?.error?.message).toBe("card expired");
  expect(handOffsIn(trial?.messages ?? [])).toEqual([{ from: "triage", to: "billing" }]);
});

it("puts a sub-agent below the call that began it, and calls that no message has at the end", () => {
  const asked = { id: "c1", tool: "task_run", args: { agentTemplateId: "finder" } };
  const inner: TrialToolCall = { tool: "search", args: { q: 1 }, result: "found", durationMs: 1, turn: 1 };
  const toolCalls: readonly TrialToolCall[] = [
    {
      ...asked,
      result: "found",
      turn: 1,
      userTurn: 1,
      delegation: {
        template: "finder",
        model: "small",
        status: "ok",
        turns: [turn(1)],
        usage: { inputTokens: 1, outputTokens: 1 },
        costUsd: null,
        messages: [
          { role: "user", content: "Find it" },
          { role: "assistant", text: "found", toolCalls: [{ id: "s1", tool: "search", args: { q: 1 } }] },
        ],
        toolCalls: [inner],
      },
    },
    { tool: "undone", args: {}, result: 1, rejectedTry: 1, turn: 1, userTurn: 1 },
  ];
  const messages: readonly Message[] = [
    user,
    { role: "assistant", text: "", toolCalls: [asked] },
    { role: "tool", callId: "c1", tool: "task_run", content: "found", isError: false },
    { role: "assistant", text: "Here.", toolCalls: [] },
  ];
  const { conversation } = readAgain({ messages, toolCalls, turns: [turn(1), turn(2)] });
  const [delegated, undone] = conversation?.trial.toolCalls ?? [];
  expect(delegated?.delegation).toMatchObject({ template: "finder", toolCalls: [{ tool: "search", args: { q: 1 } }] });
  expect(undone?.tool).toBe("undone");
});

it("has a span for a request that failed before another answered", () => {
  const attempt = { attempt: 1, provider: "p", startedAt: startMs, latencyMs: 5, requestId: null, waitedMs: null };
  const error = { code: "PROVIDER_TIMEOUT", message: "slow" } as const;
  const turns = [turn(1, { attempts: [{ ...attempt, error }] }), turn(2, { attempts: [{ ...attempt, error: null }] })];
  const spans = conversationSpans(
    { messages: [user, { role: "assistant", text: "Yes", toolCalls: [] }], toolCalls: [], turns },
    place,
  );
  expect(spans.map(({ name, error: failed }) => [name, failed])).toEqual([
    ["chat small", "PROVIDER_TIMEOUT"],
    ["chat small", undefined],
  ]);
  expect(spans[1]?.attributes["gen_ai.output.messages"]).toContain("Yes");
});
