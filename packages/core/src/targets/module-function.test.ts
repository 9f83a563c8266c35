import { describe, expect, it } from "vitest";
import { any, runTarget } from "./__fixtures__/run-target.js";

describe("a module", () => {
  it("gets tools, state and history, and reports what it did", async () => {
    const agent = `export async function run(input, ctx) {
      const found = await ctx.tools.call("lookup", { id: "gone" });
      ctx.state.count = (ctx.state.count ?? 0) + 1;
      return { text: [input, ctx.state.count, ctx.userTurn, ctx.history.length, ctx.options.language, found.error.message].join("|"),
        toolCalls: [{ tool: "own", result: 1 }], usage: { inputTokens: 3, outputTokens: 2 }, costUsd: 0.1, model: "mine" };
    }`;
    const { trial } = await runTarget({
      target: `{ module: "./agent.mjs#run", with: { language: en } }`,
      files: { "agent.mjs": agent },
      tests: `\n      - { name: t, conversation: [{ user: a }, { user: b }], assert: ${any} }`,
    });
    expect(trial).toMatchObject({
      caseId: "s/t@module",
      status: "passed",
      output: "b|2|2|2|en|no such order",
      costUsd: 0.2,
      servedBy: "mine",
    });
    expect(trial.usage).toEqual({ inputTokens: 6, outputTokens: 4 });
    expect(trial.toolCalls.map(({ tool, userTurn }) => [tool, userTurn])).toEqual([
      ["lookup", 1],
      ["own", 1],
      ["lookup", 2],
      ["own", 2],
    ]);
  });

  it("cannot hold a trial, even when it ignores its signal", async () => {
    const { trial } = await runTarget({
      target: `{ module: "./agent.mjs" }`,
      files: { "agent.mjs": "export default () => new Promise(() => {});" },
      top: "timeouts: { trial: 200ms }",
      hasOwnWorker: true,
    });
    expect(trial.error).toMatchObject({ code: "ENGINE_TIMEOUT" });
  });
});
