import { describe, expect, it } from "vitest";
import { parseAgentLine } from "../packages/core/src/targets/command/json-lines/parse-agent-line.js";
import { readHttpAnswer } from "../packages/core/src/targets/http/http-target.js";
import { readAgentAnswer } from "../packages/core/src/targets/module/read-agent-answer.js";

describe("a call that an agent reports where nobody looks", () => {
  it.each<[string, object, string]>([
    ["under another name", { text: "x", tool_calls: [{ tool: "pay" }] }, "tool_calls[0] looks like a tool call"],
    ["deep inside", { text: "x", steps: [{ name: "pay", input: {} }] }, "steps[0] looks like a tool call"],
    [
      "without its arguments",
      { text: "x", toolCalls: [{ tool: "pay", input: { n: 1 } }] },
      '"input" may be its arguments',
    ],
  ])("is refused from a module: %s", (_name, returned, problem) => {
    const read = readAgentAnswer(returned);
    expect(read.success ? "" : read.error).toContain(problem);
  });

  it.each<[string, object, string]>([
    ["in another message", { type: "text", text: "x", tool_calls: [{ name: "pay" }] }, "tool_calls[0] looks like"],
    ["without its arguments", { type: "tool_call", id: "1", tool: "pay", arguments: "{}" }, '"arguments" may be'],
  ])("is refused from a program: %s", (_name, line, problem) => {
    const read = parseAgentLine(JSON.stringify(line));
    expect(read.success ? "" : read.error.message).toContain(problem);
  });

  it("is refused from a service if its arguments may be elsewhere", () => {
    const paths = { text: "text", toolCalls: "calls", usage: "usage", session: null };
    const answer = (calls: unknown, usage?: object) =>
      readHttpAnswer(JSON.stringify({ text: "x", calls, usage }), paths);
    expect(answer([{ toolName: "pay", input: { n: 1 } }])).toMatchObject({
      data: { toolCalls: [{ call: { tool: "pay", args: { n: 1 } } }] },
    });
    expect(answer([{ tool: "pay", payload: { n: 1 } }])).toMatchObject({ success: false });
    expect(answer([{ n: 1 }])).toMatchObject({ success: false, error: 'entry 1 of "calls" has no name' });
    expect(answer([], { input_tokens: -1, output_tokens: 2 })).toMatchObject({ data: { usage: null } });
  });

  it("is none where notes are", () => {
    expect(readAgentAnswer({ text: "x", toolCalls: [{ tool: "pay", args: {} }], trace: { id: "1" } }).success).toBe(
      true,
    );
    expect(parseAgentLine('{"type":"done","finish_reason":"stop","trace":{"id":"1"}}').success).toBe(true);
  });
});
