import { describe, expect, it } from "vitest";
import { liner, lines, said } from "./__fixtures__/json-lines-agent.js";
import { any, runTarget } from "./__fixtures__/run-target.js";

describe("a command that talks in JSON lines", () => {
  it("is told who it is, asks for tools, reports its own, and goes through a conversation in one process", async () => {
    const body = `
      if (m.type === "start") state.start = m;
      if (m.type === "user" && m.turn === 1) say({ type: "tool_call", id: "c1", tool: "lookup", args: { id: "A" } });
      if (m.type === "user" && m.turn === 2) {
        say({ type: "tool_call", id: "c2", tool: "own", args: { a: 1 }, result: [1] });
        say({ type: "tool_call", id: "c3", tool: "own", args: { a: 2 }, error: "broken" });
        say({ type: "text", text: "pid " }); say({ type: "text", text: String(process.pid === state.pid) });
        say({ type: "usage", input_tokens: 10, output_tokens: 4, reasoning_tokens: 1, cost_usd: 0.5, model: "big" });
        say({ type: "usage", input_tokens: 1, output_tokens: 1, cost_usd: 0.25 });
        say({ type: "done", finish_reason: "stop" });
      }
      if (m.type === "tool_result") { state.pid = process.pid; say({ type: "text", text: JSON.stringify([m, state.start.tools, state.start.system, m.content]) }); say({ type: "done" }); }`;
    const { trial } = await runTarget({
      target: lines,
      files: { "agent.mjs": liner(body) },
      tests: `\n      - { name: t, conversation: [{ user: a }, { user: b }], assert: ${any} }`,
    });
    expect(trial).toMatchObject({ status: "passed", output: "pid true", costUsd: null, servedBy: "big" });
    const [first] = trial.messages.flatMap((message) => (message.role === "assistant" ? [message.text] : []));
    const value = { id: "A", status: "delivered" };
    expect(JSON.parse(first ?? "")).toEqual([
      { type: "tool_result", id: "c1", ok: true, value, content: JSON.stringify(value) },
      [expect.objectContaining({ name: "lookup" })],
      null,
      JSON.stringify(value),
    ]);
    expect(trial.turns[1]).toMatchObject({
      usage: { inputTokens: 11, outputTokens: 5, reasoningTokens: 1 },
      costUsd: 0.75,
    });
    expect(trial.toolCalls).toMatchObject([
      { tool: "lookup", userTurn: 1, result: value },
      { tool: "own", userTurn: 2, args: { a: 1 }, result: [1] },
      { tool: "own", userTurn: 2, args: { a: 2 }, error: { errorType: "runtime", message: "broken" } },
    ]);
  });

  it("gets history and images as they are", async () => {
    const { trial } = await runTarget({
      target: lines,
      files: {
        "agent.mjs": liner(
          `if (m.type === "start") state.h = m.history; ${said(`say({ type: "text", text: JSON.stringify([state.h, m.content]) }); say({ type: "done" });`)}`,
        ),
      },
      tests: `
      - name: t
        messages:
          - { role: user, content: a }
          - { role: assistant, content: b }
          - { role: user, content: [{ type: text, text: c }, { type: image, url: "https://example.com/x.png" }] }
        assert: ${any}`,
    });
    expect(JSON.parse(trial.output)).toEqual([
      [
        { role: "user", content: "a" },
        { role: "assistant", text: "b", toolCalls: [] },
      ],
      [
        { type: "text", text: "c" },
        { type: "image", source: { kind: "url", url: "https://example.com/x.png" } },
      ],
    ]);
  });

  it("has answered when it ends in good order", async () => {
    const agent = liner(said(`say({ type: "text", text: "bye" }); process.exit(0);`));
    const { trial } = await runTarget({ target: lines, files: { "agent.mjs": agent } });
    expect(trial).toMatchObject({ status: "passed", output: "bye", finishReason: "stop" });
  });

  it("is errored by an exhausted max_tool_calls", async () => {
    const agent = liner(
      `if (m.type !== "start") say({ type: "tool_call", id: "c" + Math.random(), tool: "lookup", args: { id: "A" } });`,
    );
    const { trial } = await runTarget({
      target: lines,
      files: { "agent.mjs": agent },
      top: "limits: { max_tool_calls: 3 }",
    });
    expect(trial.error).toMatchObject({
      code: "ENGINE_BUDGET_EXCEEDED",
      details: { limit: "max_tool_calls", value: 3 },
    });
    expect(trial.toolCalls).toHaveLength(4);
  });
});
