import { describe, expect, it } from "vitest";
import { createMistralAssembler } from "./assemble-stream.js";

function assemble(deltas: readonly Record<string, unknown>[]) {
  const assembler = createMistralAssembler();
  const kinds = deltas.map((delta, index) => {
    const finish = index === deltas.length - 1 ? "stop" : null;
    return assembler.add({ name: null, data: { model: "m", choices: [{ index: 0, delta, finish_reason: finish }] } });
  });
  const body = assembler.finish() as { choices: { message: Record<string, unknown> }[] };
  return { text: assembler.text, kinds: kinds.map(({ kind }) => kind), message: body.choices[0]?.message };
}

const thinking = (...texts: readonly string[]) => ({
  type: "thinking",
  thinking: texts.map((text) => ({ type: "text", text })),
});

describe("createMistralAssembler", () => {
  it("gives text as text", () => {
    const { text, kinds, message } = assemble([{ content: "" }, { content: "It is " }, { content: "4." }]);
    expect(text).toBe("It is 4.");
    expect(kinds).toEqual(["meta", "content", "content"]);
    expect(message).toMatchObject({ content: "It is 4." });
  });

  it("gives thinking and text as the chunks that come without streaming", () => {
    const { text, kinds, message } = assemble([
      { content: [thinking("The user")] },
      { content: [thinking(" asks.")] },
      { content: [{ ...thinking(), signature: "s", closed: true }] },
      { content: [{ type: "text", text: "It is " }] },
      { content: "4." },
    ]);
    expect(text).toBe("It is 4.");
    expect(kinds).toEqual(["meta", "meta", "meta", "content", "content"]);
    expect(message?.["content"]).toEqual([
      { ...thinking("The user asks."), signature: "s", closed: true },
      { type: "text", text: "It is 4." },
    ]);
  });

  it("keeps references apart, in thinking as well", () => {
    const reference = { type: "reference", reference_ids: [1] };
    const { message } = assemble([
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "See" }, reference] }] },
      { content: [thinking("it")] },
      { content: [reference, reference, { type: "text", text: "4." }] },
    ]);
    expect(message?.["content"]).toEqual([
      { type: "thinking", thinking: [{ type: "text", text: "See" }, reference, { type: "text", text: "it" }] },
      reference,
      reference,
      { type: "text", text: "4." },
    ]);
  });

  it("puts the pieces of a call together", () => {
    const { message } = assemble([
      { content: "", tool_calls: [{ id: "gSIMJiOkT", index: 0, function: { name: "look", arguments: "" } }] },
      { content: "", tool_calls: [{ index: 0, function: { name: "", arguments: '{"id":1}' } }] },
    ]);
    expect(message?.["tool_calls"]).toMatchObject([
      { id: "gSIMJiOkT", function: { name: "look", arguments: '{"id":1}' } },
    ]);
  });

  it("reads an error event like an error reply", () => {
    const data = { object: "error", message: "Rate limit exceeded", type: "x", code: "1300", raw_status_code: 429 };
    const step = createMistralAssembler().add({ name: null, data });
    expect(step).toEqual({ kind: "error", status: 429, body: JSON.stringify(data) });
  });
});
