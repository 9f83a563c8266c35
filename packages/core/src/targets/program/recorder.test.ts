import { describe, expect, it } from "vitest";
import { createManualClock } from "../../__fixtures__/manual-clock.js";
import type { KindlmError } from "../../errors/kindlm-error.js";
import { ToolRunner } from "../../tools/tool-runner.js";
import { simulatedTool } from "../../__fixtures__/simulated-tool.js";
import type { SessionListener } from "../target.js";
import { Recorder } from "./recorder.js";

const pay = simulatedTool({
  name: "pay",
  parameters: { type: "object", properties: { id: {} } },
  default: { error: { type: "logical", message: "no money", retryable: false } },
});

function recorder(maxToolCalls = 10) {
  const clock = createManualClock();
  const heard: string[] = [];
  const stopped: KindlmError[] = [];
  const nothing = (): void => {};
  const listener: SessionListener = {
    turnStarted: nothing,
    turnEnded: nothing,
    queueStarted: nothing,
    queueEnded: nothing,
    attemptStarted: nothing,
    attemptEnded: nothing,
    retryStarted: nothing,
    retryEnded: nothing,
    fellBack: nothing,
    toolStarted: ({ id }) => heard.push(`start ${id}`),
    toolEnded: ({ call, outcome }) => heard.push(`end ${call.id} ${outcome.ok}`),
  };
  const tools = new ToolRunner({
    tools: [pay],
    style: "envelope",
    recommendations: null,
    timeoutMs: 60_000,
    clock,
    scope: {},
  });
  const stop = (error: KindlmError): void => void stopped.push(error);
  const created = new Recorder({ listener, tools, clock, history: [], maxToolCalls, stop });
  created.startUserTurn({ role: "user", content: "Pay." });
  return { created, heard, stopped, signal: new AbortController().signal };
}

const asked = (...ids: string[]) => ids.map((id) => ({ id, tool: "pay", args: { id: 1 } }));
const failed = { errorType: "logical", message: "no money", retryable: false };

describe("Recorder", () => {
  it("takes a call that the model asked for, and the agent had run, for one, by what KindLM knows of it", async () => {
    const { created, heard, signal } = recorder();
    created.addAnswer("", asked("c1", "c2"), 1);
    await created.invoke("pay", { id: 1 }, signal);
    await created.invoke("pay", { id: 1 }, signal);
    await created.invoke("pay", { id: 1 }, signal);
    created.addResult("c1", "All is well.");
    created.addResult("c1", "told again");
    created.finish("Paid.");
    const { toolCalls, messages } = created.transcript;
    expect(toolCalls.map(({ turn, error, result }) => [turn, error, result])).toEqual([
      [1, failed, undefined],
      [1, failed, undefined],
      [undefined, failed, undefined],
    ]);
    expect(messages.filter(({ role }) => role === "tool")).toEqual([
      { role: "tool", callId: "c1", tool: "pay", content: "All is well.", isError: true },
    ]);
    expect(heard.toSorted()).toEqual(
      ["start c1", "end c1 false", "start c2", "end c2 false", "start agent_3", "end agent_3 false"].toSorted(),
    );
  });

  it.each([
    ['{"n":1}', { result: { n: 1 } }],
    ["plain", { result: "plain" }],
    ['{"ok":false,"reason":"x"}', { result: { ok: false, reason: "x" } }],
    [
      '{"ok":false,"error":"down","errorType":"runtime","retryable":true}',
      { error: { errorType: "runtime", message: "down", retryable: true } },
    ],
  ])("reads %s as the result of a call that the agent ran itself", (content, expected) => {
    const { created } = recorder();
    created.addAnswer("", asked("c1"), 1);
    created.addResult("c1", content);
    expect(created.transcript.toolCalls).toEqual([
      { tool: "pay", args: { id: 1 }, turn: 1, userTurn: 1, ranBy: "agent", startedAt: 0, durationMs: 0, ...expected },
    ]);
  });

  it("stops the trial at the first call too many, and writes no answer down twice", () => {
    const { created, stopped } = recorder(1);
    created.addAnswer("", asked("c1", "c2"), 1);
    created.addAnswer("Done.", [], 2);
    created.finish(" Done.\n");
    expect(stopped.map(({ code }) => code)).toEqual(["ENGINE_BUDGET_EXCEEDED"]);
    expect(created.transcript.messages.map((message) => ("text" in message ? message.text : message.role))).toEqual([
      "user",
      "",
      "Done.",
    ]);
  });
});
