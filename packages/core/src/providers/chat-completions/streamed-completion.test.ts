import { describe, expect, it } from "vitest";
import type { StreamStep } from "../wire-format.js";
import { createChatAssembler } from "./assemble-stream.js";
import { fromChatResponse } from "./from-response.js";

type Data = Record<string, unknown>;

const done = "[DONE]";

/** Feeds events, `[DONE]` among them. */
function assemble(...events: (Data | typeof done)[]) {
  const assembler = createChatAssembler();
  const steps: StreamStep[] = events.map((event) =>
    assembler.add(event === done ? { name: done, data: {} } : { name: null, data: event }),
  );
  const body = assembler.finish();
  const read = body === null ? null : fromChatResponse(body, 2);
  return {
    kinds: steps.map((step) => step.kind).join(" "),
    steps,
    text: assembler.text,
    answer: read?.success === true ? read.data : null,
    problem: read?.success === false ? read.error : null,
    isComplete: body !== null,
  };
}

function chunk(delta: unknown, finish: unknown = null, rest: Data = {}): Data {
  const choice = { index: 0, delta, logprobs: null, finish_reason: finish };
  return { id: "1", object: "chat.completion.chunk", model: "gpt-x", choices: [choice], usage: null, ...rest };
}

const usage = { prompt_tokens: 3, completion_tokens: 2, completion_tokens_details: { reasoning_tokens: 1 } };

describe("a streamed chat completion", () => {
  it("is read like one that was not streamed", () => {
    const stream = assemble(
      chunk({ role: "assistant", content: "", refusal: null }),
      chunk({ content: "Hel" }),
      chunk({ content: "lo" }),
      chunk({}, "stop"),
      { model: "gpt-x", choices: [], usage },
      done,
    );
    expect(stream.kinds).toBe("meta content content meta meta end");
    expect(stream.answer).toEqual({
      text: "Hello",
      toolCalls: [],
      finishReason: { unified: "stop", raw: "stop" },
      usage: { inputTokens: 3, outputTokens: 2, reasoningTokens: 1 },
      modelServed: "gpt-x",
    });
  });

  it("has tool calls, with arguments that were cut off kept as data", () => {
    const call = (index: number, id: string | undefined, name: string | undefined, text: string) => ({
      tool_calls: [{ index, id, type: "function", function: { name, arguments: text } }],
    });
    const stream = assemble(
      chunk({ role: "assistant", content: null, ...call(0, "call_1", "lookup", "") }),
      chunk(call(0, undefined, undefined, '{"id":')),
      chunk(call(1, "", "cancel", '{"id":')),
      chunk(call(0, undefined, undefined, "1}")),
      chunk({}, "length"),
      done,
    );
    expect(stream.kinds).toBe("content content content content meta end");
    expect(stream.answer).toMatchObject({
      text: "",
      finishReason: { unified: "length" },
      toolCalls: [
        { id: "call_1", tool: "lookup", args: { id: 1 } },
        { id: "call_2_2", tool: "cancel", args: undefined, malformed: { raw: '{"id":' } },
      ],
    });
  });

  it("may be a refusal", () => {
    const stream = assemble(
      chunk({ content: null, refusal: "I can" }),
      chunk({ refusal: " not." }),
      chunk({}, "stop"),
      done,
    );
    expect(stream).toMatchObject({
      kinds: "content content meta end",
      text: "I can not.",
      answer: { text: "I can not.", finishReason: { unified: "refusal" } },
    });
  });

  it("begins with a filter result at Azure, whose empty model is none", () => {
    const first = { id: "", model: "", choices: [], prompt_filter_results: [{ prompt_index: 0 }] };
    const filtered = { index: 0, finish_reason: null, content_filter_results: {}, content_filter_offsets: {} };
    const stream = assemble(
      first,
      chunk({ content: "a" }),
      { model: "", choices: [filtered] },
      chunk({}, "stop"),
      done,
    );
    expect(stream).toMatchObject({ kinds: "meta content meta meta end", answer: { text: "a", modelServed: "gpt-x" } });
    expect(assemble(first, done).answer?.modelServed).toBeNull();
  });

  it.each<[string, Data, object]>([
    ["in a chunk of its own", { choices: [], usage }, { inputTokens: 3, outputTokens: 2, reasoningTokens: 1 }],
    ["with the finish reason", chunk({}, "stop", { usage }), { inputTokens: 3 }],
    ["at Groq's place", chunk({}, "stop", { x_groq: { id: "r", usage } }), { inputTokens: 3 }],
  ])("has its usage %s", (_name, event, expected) => {
    expect(assemble(chunk({ content: "a" }), event, chunk({}, "stop"), done).answer?.usage).toMatchObject(expected);
  });

  it("believes the last usage of several, and has none where none is told", () => {
    const running = (count: number) =>
      chunk({ content: "a" }, null, { usage: { prompt_tokens: 3, completion_tokens: count } });
    expect(assemble(running(1), running(2), chunk({}, "stop"), done).answer?.usage?.outputTokens).toBe(2);
    expect(assemble(chunk({ content: "a" }), chunk({}, "stop"), done).answer?.usage).toBeNull();
  });

  it("takes reasoning for no part of the answer", () => {
    const stream = assemble(
      chunk({ role: "assistant", content: null, reasoning_content: "Hm" }),
      chunk({ content: "", reasoning: "Hm" }),
      chunk({ content: "Yes" }),
      chunk({}, "stop"),
      done,
    );
    expect(stream).toMatchObject({ kinds: "meta meta content meta end", answer: { text: "Yes" } });
  });

  it("keeps reasoning beside tool calls to send it back", () => {
    const calls = { tool_calls: [{ index: 0, id: "1", function: { name: "lookup", arguments: "{}" } }] };
    const stream = assemble(chunk({ reasoning_content: "H" }), chunk({ reasoning_content: "m" }), chunk(calls), done);
    expect(stream.answer?.providerData).toEqual({ openaiChat: { reasoning_content: "Hm" } });
  });

  it("takes text in parts", () => {
    const parts = [
      { type: "thinking", thinking: [] },
      { type: "text", text: "a" },
    ];
    expect(assemble(chunk({ content: parts }), chunk({ content: "b" }, "stop")).answer?.text).toBe("ab");
  });

  it("takes the first of several choices", () => {
    const other = {
      ...chunk({ content: "B" }),
      choices: [{ index: 1, delta: { content: "B" }, finish_reason: "stop" }],
    };
    const stream = assemble(other, chunk({ content: "A" }), other, chunk({}, "length"), done);
    expect(stream).toMatchObject({
      kinds: "meta content meta meta end",
      answer: { text: "A", finishReason: { raw: "length" } },
    });
  });

  it("takes a choice without an index for the first", () => {
    expect(assemble({ choices: [{ delta: { content: "a" } }] }, done).answer?.text).toBe("a");
  });
});

describe("the end of a streamed chat completion", () => {
  it.each<[string, (Data | typeof done)[], boolean]>([
    ["a finish reason and [DONE]", [chunk({ content: "a" }), chunk({}, "stop"), done], true],
    ["a finish reason alone", [chunk({ content: "a" }), chunk({}, "stop")], true],
    ["[DONE] alone", [chunk({ content: "a" }), done], true],
    ["an empty finish reason with each chunk", [chunk({ content: "a" }, ""), chunk({ content: "b" }, "")], false],
    ["no end", [chunk({ content: "a" })], false],
    ["usage but no end", [chunk({ content: "a" }), { choices: [], usage }], false],
    ["nothing", [], false],
  ])("is told by %s: %j", (_name, events, isComplete) => {
    expect(assemble(...events).isComplete).toBe(isComplete);
  });

  it.each(["error", "insufficient_system_resource"])("with %s says that the answer is no whole one", (reason) => {
    expect(assemble(chunk({ content: "a" }), chunk({ content: "" }, reason), done).problem).toBe(
      `an answer that it broke off (${reason})`,
    );
  });
});

describe("an error in a streamed chat completion", () => {
  it.each<[string, string | null, Data, number]>([
    ["of OpenAI", null, { error: { message: "…", type: "server_error", param: null, code: null } }, 500],
    [
      "of OpenRouter",
      null,
      { ...chunk({ content: "" }, "error"), error: { code: 502, message: "Provider disconnected" } },
      502,
    ],
    ["of vLLM", null, { error: { message: "…", type: "BadRequestError", param: null, code: 400 } }, 400],
    ["of older vLLM", null, { object: "error", message: "…", type: "BadRequestError", param: null, code: 400 }, 400],
    ["of llama.cpp", "error", { code: 503, message: "Loading model", type: "unavailable_error" }, 503],
  ])("%s has the status %i", (_name, name, data, status) => {
    expect(createChatAssembler().add({ name, data })).toEqual({
      kind: "error",
      status,
      body: JSON.stringify(data),
    });
  });

  it("is none when it is null", () => {
    expect(assemble(chunk({ content: "a" }, null, { error: null })).kinds).toBe("content");
  });
});
