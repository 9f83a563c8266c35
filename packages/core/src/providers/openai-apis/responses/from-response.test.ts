import { describe, expect, it } from "vitest";
import { fromResponsesReply, createResponsesAssembler } from "./from-response.js";

const message = (...content: object[]) => ({ type: "message", id: "msg_1", role: "assistant", content });
const text = (value: string) => ({ type: "output_text", text: value, annotations: [] });
const call = { type: "function_call", id: "fc_1", call_id: "call_9", name: "lookup", arguments: '{"id":1}' };

function reply(output: readonly unknown[], rest: Record<string, unknown> = {}) {
  return fromResponsesReply({ status: "completed", error: null, output, ...rest }, 3, "s");
}

function read(output: readonly unknown[], rest: Record<string, unknown> = {}) {
  const result = reply(output, rest);
  if (!result.success) throw new Error(JSON.stringify(result.error));
  return result.data;
}

describe("fromResponsesReply", () => {
  it("reads text, model and usage with its details", () => {
    const usage = {
      input_tokens: 82,
      input_tokens_details: { cached_tokens: 64 },
      output_tokens: 17,
      output_tokens_details: { reasoning_tokens: 5 },
    };
    expect(read([message(text("Hel"), text("lo"))], { model: "gpt-x", usage })).toEqual({
      text: "Hello",
      toolCalls: [],
      finishReason: { unified: "stop", raw: "completed" },
      usage: { inputTokens: 82, outputTokens: 17, cachedInputTokens: 64, reasoningTokens: 5 },
      modelServed: "gpt-x",
    });
  });

  it("joins several messages", () => {
    expect(read([message(text("Let me look. ")), message(text("Done."))]).text).toBe("Let me look. Done.");
  });

  it("knows no usage and no model where the server says none", () => {
    expect(read([message(text("Hi"))])).toMatchObject({ usage: null, modelServed: null });
    expect(read([message(text("Hi"))], { usage: { input_tokens: 3 } }).usage).toBeNull();
  });

  it("reads parallel calls, and keeps malformed arguments as data", () => {
    const broken = { ...call, call_id: "call_10", arguments: "{oops" };
    expect(read([call, broken])).toMatchObject({
      finishReason: { unified: "tool_calls", raw: "completed" },
      toolCalls: [
        { id: "call_9", tool: "lookup", args: { id: 1 } },
        { id: "call_10", tool: "lookup", args: undefined, malformed: { raw: "{oops" } },
      ],
    });
  });

  it("numbers calls without an id, also in what it keeps", () => {
    const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" };
    const bare = { type: "function_call", name: "a", arguments: { x: 1 } };
    const answer = read([thought, bare, { ...bare, call_id: "", arguments: undefined }]);
    expect(answer.toolCalls).toEqual([
      { id: "call_3_1", tool: "a", args: { x: 1 } },
      { id: "call_3_2", tool: "a", args: {} },
    ]);
    expect(answer.providerData).toEqual({
      openai: {
        source: "s",
        output: [thought, { ...bare, call_id: "call_3_1" }, { ...bare, call_id: "call_3_2", arguments: undefined }],
      },
    });
  });

  it("takes a refusal for an answer with its own finish reason", () => {
    expect(read([message({ type: "refusal", refusal: "I cannot help." })])).toMatchObject({
      text: "I cannot help.",
      finishReason: { unified: "refusal", raw: "completed" },
    });
  });

  it.each([
    ["max_output_tokens", "length"],
    ["content_filter", "content_filter"],
    ["constructor", "other"],
  ])("takes the reason %s of an incomplete answer for %s", (reason, unified) => {
    const rest = { status: "incomplete", incomplete_details: { reason } };
    expect(read([message(text("Hal"))], rest)).toMatchObject({ text: "Hal", finishReason: { unified, raw: reason } });
    expect(read([call], rest).finishReason).toEqual({ unified, raw: reason });
  });

  it.each([
    [{ status: undefined }, { unified: "other", raw: null }],
    [{ status: "incomplete" }, { unified: "other", raw: "incomplete" }],
    [
      { status: "incomplete", incomplete_details: null },
      { unified: "other", raw: "incomplete" },
    ],
  ])("reads the end of %j", (rest, finishReason) => {
    expect(read([message(text("Hi"))], rest).finishReason).toEqual(finishReason);
  });

  it.each([
    [{ status: "queued" }, "an answer that is queued"],
    [{ status: "in_progress" }, "an answer that is in progress"],
    [{ status: "cancelled" }, "an answer that is cancelled"],
    [{ output: undefined }, "no output in its body"],
    [{ output: [{ type: "function_call", call_id: "1" }] }, "a tool call that has no function name"],
  ])("cannot use %j", (rest, error) => {
    expect(reply([], rest)).toEqual({ success: false, error });
  });

  it.each([
    ["server_error", 500],
    ["rate_limit_exceeded", 429],
    ["invalid_prompt", 400],
    ["vector_store_timeout", 504],
    ["image_too_large", 400],
    ["failed_to_download_image", 400],
    ["something_new", 500],
  ])("reads the failure %s as the status %i", (code, status) => {
    const error = { code, message: "No." };
    expect(reply([], { status: "failed", error })).toEqual({
      success: false,
      error: { status, body: JSON.stringify({ error }) },
    });
  });

  it("reads a failure without a reason, and an error without a status", () => {
    expect(reply([], { status: "failed" })).toMatchObject({ error: { status: 500 } });
    expect(reply([], { status: undefined, error: { code: "rate_limit_exceeded" } })).toMatchObject({
      error: { status: 429 },
    });
  });
});

it("reports the tools that OpenAI ran itself, by their type where they have no name", () => {
  const search = {
    type: "web_search_call",
    id: "ws_1",
    status: "completed",
    action: { type: "search", query: "weather" },
  };
  const remote = {
    type: "mcp_call",
    id: "mcp_1",
    server_label: "crm",
    name: "delete_user",
    arguments: '{"id":1}',
    output: "ok",
  };
  const files = { type: "file_search_call", id: "fs_1", queries: ["refunds"], results: null };
  expect(read([search, remote, files])).toMatchObject({
    toolCalls: [],
    ranCalls: [
      { tool: "web_search", args: { type: "search", query: "weather" } },
      { tool: "delete_user", args: { id: 1 } },
      { tool: "file_search", args: { queries: ["refunds"] } },
    ],
  });
});

function feed(...events: Record<string, unknown>[]) {
  const assembler = createResponsesAssembler();
  const steps = events.map((data) => assembler.add({ name: null, data }));
  return { assembler, steps, kinds: steps.map(({ kind }) => kind) };
}

const item = (id: string) => ({ type: "message", id, content: [] });

describe("createResponsesAssembler", () => {
  it("distinguishes content from what is around it", () => {
    const { kinds, assembler } = feed(
      { type: "response.created", response: {} },
      { type: "response.output_item.added", output_index: 0, item: item("m") },
      { type: "response.output_text.delta", delta: "Hel" },
      { type: "response.output_text.delta", delta: "lo" },
      { type: "response.output_text.delta", delta: "" },
      { type: "response.refusal.delta", delta: "No" },
      { type: "response.output_item.added", output_index: 1, item: { type: "function_call" } },
      { type: "response.function_call_arguments.delta", delta: "{" },
      { type: "response.reasoning_summary_text.delta", delta: "Hm" },
      { type: "keepalive", sequence_number: 3 },
    );
    expect(kinds.join(" ")).toBe("meta meta content content meta content content content meta none");
    expect(assembler.text).toBe("Hello");
    expect(assembler.finish()).toBeNull();
  });

  it.each(["response.completed", "response.incomplete"])("ends with %s, which holds the response", (type) => {
    const response = { status: "completed", output: [item("a")], usage: { input_tokens: 1 } };
    const { kinds, assembler } = feed({ type, response });
    expect(kinds).toEqual(["end"]);
    expect(assembler.finish()).toBe(response);
  });

  it("puts the items into the place of an output that was left out", () => {
    const { assembler } = feed(
      { type: "response.output_item.done", output_index: 1, item: item("b") },
      { type: "response.output_item.done", output_index: 0, item: item("a") },
      { type: "response.completed", response: { status: "completed", output: [] } },
    );
    expect(assembler.finish()).toEqual({ status: "completed", output: [item("a"), item("b")] });
  });

  it("goes by the name of the event where the data has no type", () => {
    const assembler = createResponsesAssembler();
    expect(assembler.add({ name: "response.completed", data: { response: { output: [] } } })).toEqual({ kind: "end" });
    expect(assembler.finish()).toEqual({ output: [] });
  });

  it.each([
    [{ type: "error", code: "rate_limit_exceeded", message: "Slow down", param: null }, 429],
    [{ type: "error", error: { type: "invalid_request_error", code: null, message: "No" } }, 400],
    [
      { type: "response.failed", response: { status: "failed", error: { code: "server_error", message: "Oops" } } },
      500,
    ],
    [{ type: "response.failed", response: { status: "failed", error: { code: "invalid_image_url" } } }, 400],
    [{ type: "response.failed" }, 500],
  ])("reads the error %j as the status %i", (event, status) => {
    expect(feed(event).steps).toEqual([{ kind: "error", status, body: expect.stringContaining("{") as string }]);
  });

  it("takes what a content filter stopped for an answer", () => {
    const response = { status: "failed", error: { code: "content_filter" }, output: [item("a")] };
    const { kinds, assembler } = feed({ type: "response.failed", response });
    expect(kinds).toEqual(["end"]);
    expect(assembler.finish()).toBe(response);
  });
});
