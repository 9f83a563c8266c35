import { describe, expect, it } from "vitest";
import { AnthropicAssembler, fromAnthropicResponse } from "./from-response.js";

type Data = Record<string, unknown>;

function assemble(...events: Data[]) {
  const assembler = new AnthropicAssembler();
  const kinds = events.map((data) => assembler.add({ name: String(data["type"]), data }).kind);
  const body = assembler.finish();
  const read = body === null ? null : fromAnthropicResponse(body);
  return { kinds: kinds.join(" "), text: assembler.text, body, answer: read?.success === true ? read.data : null };
}

const start = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-x",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 18, cache_creation_input_tokens: 20, cache_read_input_tokens: 44, output_tokens: 1 },
  },
};
const ping = { type: "ping" };
const stop = { type: "message_stop" };

function block(index: number, content: Data, ...deltas: Data[]): Data[] {
  return [
    { type: "content_block_start", index, content_block: content },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function end(reason: string, usage: Data = { output_tokens: 17 }): Data[] {
  return [{ type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage }, stop];
}

const say = (text: string): Data => ({ type: "text_delta", text });
const write = (json: string): Data => ({ type: "input_json_delta", partial_json: json });
const emptyText = { type: "text", text: "" };
const call = (id: string): Data => ({ type: "tool_use", id, name: "lookup", input: {} });

describe("a streamed message", () => {
  it("is read like one that was not streamed", () => {
    const stream = assemble(
      start,
      ping,
      ...block(0, emptyText, say("Let me "), say("look.")),
      ...block(1, call("toolu_1"), write(""), write('{"id"'), write(": 1}")),
      ...end("tool_use"),
    );
    expect(stream.kinds).toBe("meta none meta content content none content content content content none meta end");
    expect(stream.answer).toEqual({
      text: "Let me look.",
      toolCalls: [{ id: "toolu_1", tool: "lookup", args: { id: 1 } }],
      finishReason: { unified: "tool_calls", raw: "tool_use" },
      usage: { inputTokens: 82, outputTokens: 17, cachedInputTokens: 44 },
      modelServed: "claude-x",
    });
    expect(stream.text).toBe("Let me look.");
  });

  it("may have the pieces of its blocks in turn", () => {
    const events = [
      { type: "content_block_start", index: 0, content_block: call("a") },
      { type: "content_block_start", index: 1, content_block: call("b") },
      { type: "content_block_delta", index: 1, delta: write('{"n":') },
      { type: "content_block_delta", index: 0, delta: write('{"n":1}') },
      { type: "content_block_delta", index: 1, delta: write("2}") },
    ];
    expect(assemble(start, ...events, ...end("tool_use")).answer?.toolCalls).toEqual([
      { id: "a", tool: "lookup", args: { n: 1 } },
      { id: "b", tool: "lookup", args: { n: 2 } },
    ]);
  });

  it.each([
    ["no arguments", [], {}],
    ["empty arguments", [write("")], {}],
    ["arguments in its start", [write("")], { n: 1 }],
  ])("has a call with %s", (_name, deltas, input) => {
    const stream = assemble(start, ...block(0, { ...call("a"), input }, ...deltas), ...end("tool_use"));
    expect(stream.answer?.toolCalls).toEqual([{ id: "a", tool: "lookup", args: input }]);
  });

  it("keeps arguments that were cut off as data, and sends none of them back", () => {
    const thinking = { type: "thinking", thinking: "Hm", signature: "sig" };
    const { answer } = assemble(
      start,
      ...block(0, thinking),
      ...block(1, call("a"), write('{"id":')),
      ...end("max_tokens"),
    );
    expect(answer).toMatchObject({
      finishReason: { unified: "length" },
      toolCalls: [{ args: undefined, malformed: { raw: '{"id":' } }],
      providerData: { anthropic: { content: [thinking, call("a")] } },
    });
  });

  it("keeps thinking, hidden thinking, citations and the work of server tools to send them back", () => {
    const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
    const found = {
      type: "web_search_tool_result",
      tool_use_id: "srvtoolu_1",
      content: [{ url: "https://example.com" }],
    };
    const hidden = { type: "redacted_thinking", data: "x" };
    const citation = { type: "web_search_result_location", cited_text: "a" };
    const stream = assemble(
      start,
      ...block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "H" },
        { type: "thinking_delta", thinking: "m" },
        { type: "signature_delta", signature: "sig" },
      ),
      ...block(1, hidden),
      ...block(2, search, write('{"query":"x"}')),
      ...block(3, found),
      ...block(4, { ...emptyText, citations: [] }, { type: "citations_delta", citation }, say("It is."), {
        type: "citations_delta",
        citation,
      }),
      ...end("end_turn"),
    );
    expect(stream.kinds.split(" ").filter((kind) => kind === "content")).toHaveLength(1);
    expect(stream.answer).toMatchObject({ text: "It is.", toolCalls: [] });
    expect(stream.answer?.providerData).toEqual({
      anthropic: {
        content: [
          { type: "thinking", thinking: "Hm", signature: "sig" },
          hidden,
          { ...search, input: { query: "x" } },
          found,
          { type: "text", text: "It is.", citations: [citation, citation] },
        ],
      },
    });
  });

  it("counts text that its block starts with", () => {
    const stream = assemble(start, ...block(0, { type: "text", text: "Al" }, say("so")), ...end("end_turn"));
    expect(stream).toMatchObject({ text: "Also", answer: { text: "Also" } });
    expect(stream.kinds).toBe("meta content content none meta end");
  });

  it("takes the last counts, which are sums, and none that is null", () => {
    const told = {
      input_tokens: null,
      cache_read_input_tokens: null,
      cache_creation_input_tokens: 30,
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 4 },
    };
    expect(assemble(start, ...end("end_turn", told)).answer?.usage).toEqual({
      inputTokens: 92,
      outputTokens: 9,
      cachedInputTokens: 44,
      reasoningTokens: 4,
    });
  });

  it.each<[string, Data]>([
    ["a ping", ping],
    ["an event that is new", { type: "content_block_revised", index: 0 }],
    ["the end of a block", { type: "content_block_stop", index: 0 }],
    ["[DONE] of servers like it", {}],
  ])("passes over %s", (_name, event) => {
    expect(assemble(event).kinds).toBe("none");
  });

  it("passes over deltas that are new, or of no block", () => {
    const stream = assemble(
      start,
      { type: "content_block_delta", index: 7, delta: say("lost") },
      ...block(0, emptyText, { type: "tone_delta", tone: "warm" }, say("a")),
      ...end("end_turn"),
    );
    expect(stream.answer?.text).toBe("a");
  });

  it.each<[string, Data[]]>([
    ["nothing", []],
    ["its start", [start]],
    ["its text", [start, ...block(0, emptyText, say("a"))]],
    ["its stop reason", [start, ...end("end_turn").slice(0, 1)]],
    ["an end without a start", [stop]],
  ])("is not complete with %s alone", (_name, events) => {
    expect(assemble(...events).body).toBeNull();
  });

  it("may be an error, by the type of the data or by the name of the event", () => {
    const data = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const expected = { kind: "error", status: 529, body: JSON.stringify(data) };
    expect(new AnthropicAssembler().add({ name: null, data })).toEqual(expected);
    expect(new AnthropicAssembler().add({ name: "error", data: { error: "x" } })).toMatchObject({ status: 500 });
  });
});
