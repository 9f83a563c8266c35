import { describe, expect, it } from "vitest";
import { createChatAssembler, createReasoningAssembler } from "./assemble-stream.js";

function delta(fields: Record<string, unknown>, finish: string | null = null): Record<string, unknown> {
  return { model: "m-1", choices: [{ index: 0, delta: fields, finish_reason: finish }] };
}

function piece(fields: Record<string, unknown>, name?: string, args?: unknown): Record<string, unknown> {
  return { ...fields, function: { ...(name === undefined ? {} : { name }), arguments: args } };
}

function callsOf(...pieces: readonly Record<string, unknown>[][]): unknown {
  const assembler = createChatAssembler();
  for (const calls of pieces) assembler.add({ name: null, data: delta({ tool_calls: calls }) });
  assembler.add({ name: null, data: delta({}, "tool_calls") });
  return (assembler.finish() as { choices: { message: { tool_calls: unknown } }[] }).choices[0]?.message.tool_calls;
}

const call = (id: string | undefined, name: string, args: string) => ({
  type: "function",
  id,
  function: { name, arguments: args },
});

describe("createChatAssembler", () => {
  it("gives the body that comes without streaming", () => {
    const assembler = createChatAssembler();
    const usage = { prompt_tokens: 1, completion_tokens: 2 };
    const steps = [
      assembler.add({ name: null, data: delta({ role: "assistant", content: "" }) }),
      assembler.add({ name: null, data: delta({ content: "Hel" }) }),
      assembler.add({ name: null, data: delta({ content: "lo" }, "stop") }),
      assembler.add({ name: null, data: { choices: [], usage } }),
      assembler.add({ name: "[DONE]", data: {} }),
    ];
    expect(steps.map(({ kind }) => kind)).toEqual(["meta", "content", "content", "meta", "end"]);
    expect(assembler.text).toBe("Hello");
    const message = { role: "assistant", content: "Hello", refusal: null };
    expect(assembler.finish()).toEqual({
      model: "m-1",
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage,
    });
  });

  it("has nothing when the stream ended before the answer, and takes either end for one", () => {
    const cut = createChatAssembler();
    cut.add({ name: null, data: delta({ content: "Hel" }) });
    expect(cut.finish()).toBeNull();
    cut.add({ name: "[DONE]", data: {} });
    expect(cut.finish()).toMatchObject({ choices: [{ message: { content: "Hel" }, finish_reason: null }] });
  });

  it("keeps a refusal apart from the text", () => {
    const assembler = createChatAssembler();
    expect(assembler.add({ name: null, data: delta({ refusal: "I can " }) })).toEqual({ kind: "content" });
    assembler.add({ name: null, data: delta({ refusal: "not." }, "stop") });
    expect(assembler.finish()).toMatchObject({ choices: [{ message: { content: "", refusal: "I can not." } }] });
  });

  it("puts the pieces of parallel calls together", () => {
    const first = [piece({ index: 0, id: "a" }, "look", ""), piece({ index: 1, id: "b" }, "cancel", "{")];
    const second = [piece({ index: 1 }, undefined, "}"), piece({ index: 0 }, "", '{"x":1}')];
    expect(callsOf(first, second)).toEqual([call("a", "look", '{"x":1}'), call("b", "cancel", "{}")]);
  });

  it("distinguishes whole calls with servers that leave the index out", () => {
    const calls = [piece({ id: "a" }, "look", "{}"), piece({ id: "b" }, "look", { x: 1 })];
    expect(callsOf(calls)).toEqual([call("a", "look", "{}"), call("b", "look", '{"x":1}')]);
  });

  it("reads an error event like an error reply", () => {
    const data = { error: { message: "slow down", type: "rate_limit_error" } };
    const body = JSON.stringify(data);
    expect(createChatAssembler().add({ name: null, data })).toEqual({ kind: "error", status: 429, body });
  });
});

const text = { type: "reasoning.text", index: 0, text: "Hm", signature: "sig" };
const hidden = { type: "reasoning.encrypted", index: 1, data: "x" };

it.each<[string, Record<string, unknown>[], unknown]>([
  ["nothing", [{ content: "a" }, { reasoning_content: null }], {}],
  [
    "content",
    [{ reasoning_content: "" }, { reasoning_content: "H" }, { reasoning_content: "m" }],
    { reasoning_content: "Hm" },
  ],
  ["empty content", [{ reasoning_content: "" }], { reasoning_content: "" }],
  [
    "text with a signature at its end",
    [
      { reasoning_details: [{ ...text, text: "H", signature: null }] },
      { reasoning_details: [{ ...text, text: "m", signature: null }] },
      { reasoning_details: [{ type: "reasoning.text", index: 0, signature: "sig" }] },
      { reasoning_details: [hidden] },
      { reasoning_details: [hidden] },
    ],
    { reasoning_details: [text, hidden, hidden] },
  ],
  [
    "texts of their own",
    [{ reasoning_details: [text, { ...text, index: 2 }] }, { reasoning_details: [hidden, text] }],
    { reasoning_details: [text, { ...text, index: 2 }, hidden, text] },
  ],
])("puts streamed reasoning together: %s", (_name, deltas, expected) => {
  const assembler = createReasoningAssembler();
  for (const one of deltas) assembler.add(one);
  expect(assembler.finish()).toEqual(expected);
});
