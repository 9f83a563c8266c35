import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { repository, runCli } from "./support/run-cli.js";

const fixture = (name: string): Buffer => readFileSync(join(repository, "test", "fixtures", "traces", name));

function projectWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const cwd = makeProject({});
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  return cwd;
}

interface Replayed {
  suites: {
    tests: { id: string; status: string; trials: { output: string; toolCalls: { tool: string; args: object }[] }[] }[];
  }[];
}

async function replay(cwd: string, file: string) {
  const { code, stdout, stderr } = await runCli(["test", file, "--no-journal", "--verbose", "--reporter", "json"], {
    cwd,
  });
  if (!stdout.startsWith("{")) throw new Error(stderr);
  const [only] = (JSON.parse(stdout) as Replayed).suites.flatMap(({ tests }) => tests);
  return { code, ...only, ...only?.trials[0] };
}

describe("kindlm import trace", () => {
  it.each([
    ["openai-agents.spans.jsonl", ["transfer_to_billing", "lookup_order", "refund"]],
    ["langchain.spans.pb", ["lookup_order", "refund"]],
    ["ai-sdk.spans.jsonl", ["lookup_order", "refund"]],
  ])("makes a test of %s that repeats it offline", async (name, tools) => {
    const cwd = projectWith({ [name]: fixture(name) });
    const { code, stdout } = await runCli(["import", "trace", name, "--test", "refund fails"], { cwd });
    expect([code, stdout]).toEqual([0, expect.stringContaining("kindlm test refund-fails.kindlm.yaml")]);
    const trial = await replay(cwd, "refund-fails.kindlm.yaml");
    expect(trial).toMatchObject({
      code: 0,
      id: "recorded/refund fails@recorded",
      status: "passed",
      output: "I could not refund order ORD-7: the card has expired.",
    });
    expect(trial.toolCalls?.map(({ tool }) => tool)).toEqual(tools);
    expect(trial.toolCalls?.at(-1)).toMatchObject({
      args: { order_id: "ORD-7", amount: 12.5 },
      error: { errorType: "logical" },
    });
  });

  it("repeats several messages of a user, and keeps braces and operators as they were", async () => {
    const messages = (...said: [string, string][]) =>
      JSON.stringify(said.map(([role, content]) => ({ role, parts: [{ type: "text", content }] })));
    const chat = (at: number, input: string, output: string) => ({
      traceId: "a".repeat(32),
      spanId: String(at).repeat(16),
      name: "chat",
      startTimeUnixNano: `${at}000000000`,
      endTimeUnixNano: `${at}100000000`,
      attributes: [
        ["gen_ai.operation.name", "chat"],
        ["gen_ai.input.messages", input],
        ["gen_ai.output.messages", output],
      ].map(([key, stringValue]) => ({ key, value: { stringValue } })),
    });
    const call = { type: "tool_call", id: "1", name: "find", arguments: { $gt: "{{x}}" } };
    const called = { role: "assistant", parts: [call] };
    const result = { role: "tool", parts: [{ type: "tool_call_response", id: "1", response: "{{y}}" }] };
    const first = JSON.parse(messages(["user", "Use {{name}}"])) as object[];
    const second = [...first, called, result];
    const told = [...second, ...(JSON.parse(messages(["assistant", "Which {{one}}?"], ["user", "All"])) as object[])];
    const spans = [
      chat(1, JSON.stringify(first), JSON.stringify([called])),
      chat(2, JSON.stringify(second), messages(["assistant", "Which {{one}}?"])),
      chat(3, JSON.stringify(told), messages(["assistant", "Done"])),
    ];
    const cwd = projectWith({ "a.json": JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }) });
    await runCli(["import", "trace", "a.json", "--test", "talk", "--suite", "chat"], { cwd });
    const trial = await replay(cwd, "talk.kindlm.yaml");
    expect(trial).toMatchObject({ status: "passed", id: "chat/talk@recorded", output: "Done" });
    expect(trial.toolCalls).toMatchObject([{ tool: "find", args: { $gt: "{{x}}" }, result: "{{y}}" }]);
  });

  it("asks which of several traces, and overwrites nothing", async () => {
    const one = fixture("openai-agents.spans.jsonl").toString("utf8");
    const [, id = ""] = /"traceId":"(\w+)"/.exec(one) ?? [];
    const cwd = projectWith({ "two.jsonl": one + one.replaceAll(id, "b".repeat(32)), "told.jsonl": '{"test":"x"}' });
    const said = async (...args: string[]) => (await runCli(["import", "trace", ...args], { cwd })).stderr;
    expect(await said("two.jsonl", "--test", "x")).toContain(`name one with --trace (${id}, ${"b".repeat(32)})`);
    expect(await said("two.jsonl", "--test", "x", "--trace", "ffff")).toContain('has no trace "ffff"');
    expect(await said("told.jsonl", "--test", "x")).toContain("told.jsonl has no OpenTelemetry spans");
    expect(await said("two.jsonl")).toContain("--test is missing");
    expect(await said("two.jsonl", "--test", "x", "--trace", "bbbb")).toBe("");
    expect(await said("two.jsonl", "--test", "x", "--trace", "bbbb")).toContain("Could not write x.kindlm.yaml");
  });
});
