import { describe, expect, it } from "vitest";
import { parseTranscriptLine } from "./parse-transcript-line.js";
import { deriveTrial } from "./derive-trial.js";

const user = { role: "user", content: "Where is order 7?" };

function read(line: object) {
  return parseTranscriptLine(JSON.stringify({ test: "s/t", ...line }));
}

function callsIn(line: object): unknown {
  const parsed = read(line);
  if (!parsed.success) return parsed.error;
  return parsed.data.messages === null ? parsed.data.told.toolCalls : deriveTrial(parsed.data.messages).toolCalls;
}

const answered = [{ tool: "lookup", args: { id: "7" }, result: { status: "sent" }, turn: 1, userTurn: 1 }];

/** The same call and its result, as each library and provider writes it down. */
const forms: Record<string, readonly unknown[]> = {
  "Bedrock Converse": [
    { role: "user", content: [{ text: "Where?" }] },
    {
      role: "assistant",
      content: [{ text: "Let me see" }, { toolUse: { toolUseId: "a", name: "lookup", input: { id: "7" } } }],
    },
    {
      role: "user",
      content: [{ toolResult: { toolUseId: "a", content: [{ json: { status: "sent" } }], status: "success" } }],
    },
    { role: "assistant", content: [{ text: "Sent" }] },
  ],
  "AI SDK 5 messages": [
    user,
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm" },
        {
          type: "tool-call",
          toolCallId: "a",
          toolName: "lookup",
          input: { id: "7" },
          providerOptions: { x: { y: 1 } },
        },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "a",
          toolName: "lookup",
          output: { type: "json", value: { status: "sent" } },
        },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "Sent" }] },
  ],
  "AI SDK 4 messages": [
    user,
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "lookup", args: { id: "7" } }] },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "a", toolName: "lookup", result: { status: "sent" } }],
    },
    { role: "assistant", content: "Sent" },
  ],
  "AI SDK UI messages": [
    { id: "1", role: "user", parts: [{ type: "text", text: "Where?" }] },
    {
      id: "2",
      role: "assistant",
      parts: [
        { type: "step-start" },
        {
          type: "tool-lookup",
          toolCallId: "a",
          state: "output-available",
          input: { id: "7" },
          output: { status: "sent" },
        },
        { type: "step-start" },
        { type: "text", text: "Sent", state: "done" },
      ],
    },
  ],
  "AI SDK UI messages with a dynamic tool": [
    { role: "user", parts: [{ type: "text", text: "Where?" }] },
    {
      role: "assistant",
      parts: [
        {
          type: "dynamic-tool",
          toolName: "lookup",
          toolCallId: "a",
          state: "output-available",
          input: { id: "7" },
          output: { status: "sent" },
        },
        { type: "step-start" },
        { type: "text", text: "Sent" },
      ],
    },
  ],
  "AI SDK UI messages of version 4": [
    user,
    {
      role: "assistant",
      content: "Sent",
      toolInvocations: [
        {
          state: "result",
          step: 0,
          toolCallId: "a",
          toolName: "lookup",
          args: { id: "7" },
          result: { status: "sent" },
        },
      ],
      parts: [
        {
          type: "tool-invocation",
          toolInvocation: {
            state: "result",
            step: 0,
            toolCallId: "a",
            toolName: "lookup",
            args: { id: "7" },
            result: { status: "sent" },
          },
        },
        { type: "text", text: "Sent" },
      ],
    },
  ],
  "LangChain messages": [
    { type: "human", content: "Where?" },
    {
      type: "ai",
      content: [{ type: "tool_use", id: "a", name: "lookup", input: { id: "7" } }],
      additional_kwargs: {
        tool_calls: [{ id: "a", type: "function", function: { name: "lookup", arguments: '{"id":"7"}' } }],
      },
      tool_calls: [{ type: "tool_call", id: "a", name: "lookup", args: { id: "7" } }],
      invalid_tool_calls: [],
      response_metadata: { finish_reason: "tool_calls", token_usage: { total_tokens: 3 } },
    },
    {
      type: "tool",
      content: '{"status":"sent"}',
      tool_call_id: "a",
      name: "lookup",
      status: "success",
      artifact: { a: [] },
    },
    { type: "ai", content: "Sent", tool_calls: [] },
  ],
  "LangChain messages, stored": [
    { type: "human", data: { content: "Where?" } },
    {
      type: "ai",
      data: {
        content: "",
        additional_kwargs: {
          tool_calls: [{ id: "a", type: "function", function: { name: "lookup", arguments: '{"id":"7"}' } }],
        },
      },
    },
    { type: "tool", data: { content: '{"status":"sent"}', tool_call_id: "a" } },
    { type: "ai", data: { content: "Sent" } },
  ],
  "LangChain messages, serialized": [
    { lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"], kwargs: { content: "Where?" } },
    {
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "messages", "AIMessageChunk"],
      kwargs: {
        content: "",
        tool_calls: [{ name: "lookup", args: { id: "7" }, id: "a", type: "tool_call" }],
        tool_call_chunks: [{ name: "lookup", args: '{"id": "7"}', id: "a", index: 0, type: "tool_call_chunk" }],
      },
    },
    {
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "messages", "ToolMessage"],
      kwargs: { content: '{"status":"sent"}', tool_call_id: "a" },
    },
    { lc: 1, type: "constructor", id: ["langchain_core", "messages", "AIMessage"], kwargs: { content: "Sent" } },
  ],
  "LangChain messages with what they were made of": [
    {
      type: "human",
      content: "Where?",
      lc_kwargs: { content: "Where?" },
      lc_namespace: ["langchain_core", "messages"],
    },
    {
      type: "ai",
      content: "",
      tool_calls: [{ name: "lookup", args: { id: "7" }, id: "a" }],
      lc_kwargs: { content: "", tool_calls: [{ name: "lookup", args: { id: "7" }, id: "a" }] },
    },
    { type: "tool", content: '{"status":"sent"}', tool_call_id: "a" },
    { type: "ai", content: "Sent" },
  ],
  "LangChain 1 blocks": [
    { type: "human", content: "Where?" },
    { type: "ai", content: [{ type: "tool_call", id: "a", name: "lookup", args: { id: "7" } }] },
    { type: "tool", content: [{ type: "text", text: '{"status":"sent"}' }], tool_call_id: "a" },
    { type: "ai", content: [{ type: "text", text: "Sent" }] },
  ],
  "Gemini contents": [
    { role: "user", parts: [{ text: "Where?" }] },
    { role: "model", parts: [{ functionCall: { name: "lookup", args: { id: "7" } }, thoughtSignature: "x" }] },
    { role: "user", parts: [{ functionResponse: { name: "lookup", response: { status: "sent" } } }] },
    { role: "model", parts: [{ text: "mulling", thought: true }, { text: "Sent" }] },
  ],
  "Gemini contents of Python": [
    { role: "user", parts: [{ text: "Where?", function_call: null }] },
    {
      role: "model",
      parts: [{ text: null, function_call: { id: null, name: "lookup", args: { id: "7" } }, thought: null }],
    },
    { role: "tool", parts: [{ function_response: { name: "lookup", response: { status: "sent" } } }] },
    { role: "model", parts: [{ text: "Sent" }] },
  ],
  Ollama: [
    user,
    { role: "assistant", content: "", tool_calls: [{ function: { name: "lookup", arguments: { id: "7" } } }] },
    { role: "tool", tool_name: "lookup", content: '{"status":"sent"}' },
    { role: "assistant", content: "Sent" },
  ],
  "Mistral's and Cohere's libraries": [
    user,
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "a", type: "function", function: { name: "lookup", arguments: '{"id":"7"}' } }],
    },
    { role: "tool", toolCallId: "a", name: "lookup", content: '{"status":"sent"}' },
    { role: "assistant", content: "Sent" },
  ],
  "a whole message of Anthropic": [
    user,
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      stop_reason: "tool_use",
      content: [{ type: "tool_use", id: "a", name: "lookup", input: { id: "7" } }],
      usage: { input_tokens: 1, output_tokens: 1, server_tool_use: null },
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: '{"status":"sent"}' }] },
    { role: "assistant", content: "Sent" },
  ],
  "a mixture": [
    user,
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "lookup", input: { id: "7" } }] },
    { role: "tool", tool_call_id: "a", content: '{"status":"sent"}' },
    { role: "model", parts: [{ text: "Sent" }] },
  ],
};

describe("the forms in which programs keep conversations", () => {
  it.each(Object.entries(forms))("reads the call and its result of %s", (_name, messages) => {
    expect(callsIn({ messages })).toEqual(answered);
    const parsed = read({ messages });
    const trial = parsed.success ? deriveTrial(parsed.data.messages ?? []) : null;
    expect(trial).toMatchObject({ output: "Sent", userTurns: [{ toolCalls: answered }] });
  });

  it("reads Gemini's contents under their own name", () => {
    expect(callsIn({ contents: forms["Gemini contents"] })).toEqual(answered);
  });

  it("reads the items that OpenAI's tools leave", () => {
    const items = [
      { type: "custom_tool_call", call_id: "a", name: "sql", input: "select 1" },
      { type: "custom_tool_call_output", call_id: "a", output: "1" },
      { type: "code_interpreter_call", id: "b", code: "1+1", container_id: "c", outputs: [] },
      { type: "mcp_approval_request", id: "r", name: "pay", server_label: "bank", arguments: '{"n":1}' },
      { type: "mcp_approval_response", approval_request_id: "r", approve: true },
      { type: "mcp_call", id: "m", name: "pay", arguments: '{"n":1}', output: "ok", approval_request_id: "r" },
      { type: "shell_call", call_id: "d", action: { commands: ["ls"] } },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "done" }] },
    ];
    expect(callsIn({ input: "q", output: items })).toMatchObject([
      { tool: "sql", args: "select 1", result: "1" },
      { tool: "code_interpreter", args: { code: "1+1", container_id: "c" } },
      { tool: "pay", args: { n: 1 }, result: "ok" },
      { tool: "shell", args: { commands: ["ls"] } },
    ]);
  });

  it("takes the errors of all forms for errors", () => {
    const call = { role: "assistant", content: [{ toolUse: { toolUseId: "a", name: "lookup", input: {} } }] };
    const bedrock = {
      role: "user",
      content: [{ toolResult: { toolUseId: "a", content: [{ text: "no" }], status: "error" } }],
    };
    const denied = { type: "tool-result", toolCallId: "a", toolName: "lookup", output: { type: "execution-denied" } };
    const ui = { type: "tool-lookup", toolCallId: "a", state: "output-error", input: {}, errorText: "no" };
    expect(callsIn({ messages: [user, call, bedrock] })).toMatchObject([{ error: { message: "no" } }]);
    expect(callsIn({ messages: [user, call, { role: "tool", content: [denied] }] })).toMatchObject([
      { error: { message: "The call was denied" } },
    ]);
    expect(callsIn({ messages: [{ role: "assistant", parts: [ui] }] })).toMatchObject([{ error: { message: "no" } }]);
    expect(
      callsIn({ messages: [user, call, { type: "tool", tool_call_id: "a", content: "no", status: "error" }] }),
    ).toMatchObject([{ error: { message: "no" } }]);
  });

  it("keeps two calls of one message apart where only one of its places has both", () => {
    const one = { id: "a", name: "lookup", args: { id: "7" } };
    const two = { id: "b", function: { name: "cancel", arguments: "{}" } };
    const message = { type: "ai", content: "", tool_calls: [one], additional_kwargs: { tool_calls: [two] } };
    expect(callsIn({ messages: [user, message] })).toMatchObject([{ tool: "lookup" }, { tool: "cancel" }]);
  });

  it("takes calls told by a line in any of these forms", () => {
    const toolCalls = [
      { name: "a", args: { n: 1 } },
      { toolName: "b", input: { n: 2 }, toolCallId: "x" },
      { tool: "c", input: { n: 3 }, result: "ok" },
    ];
    expect(callsIn({ toolCalls })).toEqual([
      { tool: "a", args: { n: 1 } },
      { tool: "b", args: { n: 2 } },
      { tool: "c", args: { n: 3 }, result: "ok" },
    ]);
  });
});

const says = (...content: readonly unknown[]): object => ({ messages: [user, { role: "assistant", content }] });
const sent = { type: "text", text: "Sent" };

describe("what is not known", () => {
  it.each<[string, object, string]>([
    ["a block", says(sent, { type: "tool_request", name: "x" }), 'messages[1].content[1] has the type "tool_request"'],
    [
      "a key of a block without a type",
      says({ text: "x", toolRequest: { name: "y" } }),
      "messages[1].content[0].toolRequest is not known",
    ],
    [
      "a call within a text",
      says({ ...sent, tool_calls: [{ function: { name: "x" } }] }),
      "messages[1].content[0].tool_calls[0] looks like",
    ],
    [
      "a call within reasoning",
      says({ type: "reasoning", steps: [{ name: "x", arguments: "{}" }] }),
      "content[0].steps[0] looks like",
    ],
    ["a block that is not an object", says(sent, 7), "messages[1].content[1] is neither"],
    [
      "an item",
      {
        messages: [
          { type: "tool_request", name: "x" },
          { type: "message", role: "assistant", content: "Sent" },
        ],
      },
      'messages[0] has the type "tool_request"',
    ],
    [
      "an item elsewhere",
      {
        output: [
          { type: "item_reference", id: "fc_1" },
          { type: "message", role: "assistant", content: "x" },
        ],
      },
      'output[0] refers to the item "fc_1"',
    ],
    [
      "a key of a message",
      { messages: [{ role: "assistant", content: "x", actions: [{ pay: 1 }] }] },
      "messages[0].actions is not known",
    ],
    [
      "a word in a message",
      { messages: [{ role: "assistant", content: "x", tool_invoked: "pay" }] },
      "messages[0].tool_invoked is not known",
    ],
    [
      "a call among notes",
      { messages: [{ role: "assistant", content: "x", metadata: { raw: { toolCalls: [{}, {}] } } }] },
      "messages[0].metadata.raw.toolCalls[0] looks like",
    ],
    [
      "a call among additional arguments",
      { messages: [{ type: "ai", content: "x", additional_kwargs: { raw: [{ name: "x", input: 1 }] } }] },
      "messages[0].additional_kwargs.raw is not known",
    ],
    [
      "what a message was made of",
      {
        messages: [{ type: "ai", content: "x", tool_calls: [], lc_kwargs: { tool_calls: [{ name: "x", args: {} }] } }],
      },
      "messages[0].lc_kwargs.tool_calls differs",
    ],
    [
      "a call around a message",
      { messages: [{ type: "ai", data: { content: "x" }, tool_calls: [{ name: "pay", args: {} }] }] },
      "messages[0].tool_calls is not known",
    ],
    [
      "a call within a call",
      says({ type: "tool_use", id: "a", name: "look", input: {}, extra: [{ name: "pay", input: {} }] }),
      'messages[1].content[0] is a tool call that has another in "extra[0]"',
    ],
    ["a name in a text", says({ ...sent, name: "pay" }), "messages[1].content[0].name looks like"],
    [
      "another list of messages",
      { messages: [{ role: "assistant", content: "x" }], contents: [{ role: "model", parts: [{ text: "y" }] }] },
      '"contents" is not known',
    ],
    [
      "a call of a tool of OpenAI's that has another name",
      { output: [{ type: "computer_call", call_id: "a", action: {}, tool_name_: "pay" }] },
      'output[0] is a call that is named by its type, and perhaps by "tool_name_"',
    ],
    [
      "a type that is none",
      { messages: [{ role: "assistant", content: "x", type: { tool_calls: [{}] } }] },
      "messages[0].type is not a string",
    ],
    [
      "what stands around a message",
      { messages: [{ type: "ai", data: { content: "x" }, steps: [{ a: 1 }] }] },
      "messages[0].steps is not known",
    ],
    [
      "a key of a call",
      says({ type: "tool_use", id: "a", name: "pay", payload: { n: 1 } }),
      'content[0] is a tool call that has its arguments perhaps in "payload"',
    ],
    [
      "two kinds of arguments",
      says({ type: "tool_use", id: "a", name: "pay", input: {}, args: { n: 1 } }),
      'has arguments in "args" and "input"',
    ],
    [
      "two kinds of arguments, one of them beside the function",
      says({ type: "tool_call", id: "a", arguments: { n: 2 }, function: { name: "pay", arguments: { n: 1 } } }),
      "has arguments in two places",
    ],
    [
      "two names of a call",
      says({ type: "tool_use", id: "a", name: "look", tool: "pay", input: {} }),
      'content[0] is a tool call that has two names, "look" and "pay"',
    ],
    [
      "two names of a call, one of them in its function",
      { messages: [{ role: "assistant", tool_calls: [{ name: "pay", function: { name: "look", arguments: "{}" } }] }] },
      'is a tool call that has two names, "look" and "pay"',
    ],
    [
      "arguments of a told call",
      { toolCalls: [{ tool: "pay", payload: { n: 1 } }] },
      "toolCalls[0] is a tool call that has its arguments perhaps",
    ],
    [
      "a call of a user",
      {
        messages: [
          { role: "user", content: [{ type: "tool-call", toolName: "x", input: {} }] },
          { role: "assistant", content: "x" },
        ],
      },
      "messages[0] has a tool call, although its role",
    ],
    [
      "an end with calls without one",
      { messages: [{ role: "assistant", content: "x", stop_reason: "tool_use" }] },
      'messages[0] ended with "tool_use"',
    ],
    [
      "the same of a line",
      { output: "x", toolCalls: [], finishReason: "tool_calls" },
      '"finishReason" is "tool_calls"',
    ],
    ["a list of a line", { output: "x", steps: [{ pay: 1 }] }, '"steps" is not known'],
    [
      "a call among notes of a line",
      { output: "x", metadata: { steps: [{ tool_calls: [{}] }] } },
      "metadata.steps[0].tool_calls[0] looks like",
    ],
    [
      "an input beside messages",
      {
        input: [{ role: "assistant", tool_calls: [{ function: { name: "x", arguments: "" } }] }],
        messages: [{ role: "assistant", content: "x" }],
      },
      "input[0].tool_calls[0] looks like",
    ],
    [
      "a list of a user turn",
      { output: "x", userTurns: [{ output: "x", tool_uses: [{}] }] },
      '"tool_uses" is not known',
    ],
  ])("is refused: %s", (_name, line, problem) => {
    const parsed = read(line);
    expect(parsed.success ? "" : parsed.error.map(({ message }) => message).join("\n")).toContain(problem);
  });

  it("is refused at any depth", () => {
    const deep = `${'{"a":['.repeat(100)}{"tool_calls":[{}]}${"]}".repeat(100)}`;
    const parsed = parseTranscriptLine(`{"test":"s/t","output":"x","metadata":${deep}}`);
    expect(parsed.success ? "" : parsed.error[0]?.message).toContain("looks like a tool call");
  });

  it("is left alone where it can be no call", () => {
    const notes = { id: "m", model: "m", created: 5, usage: { input_tokens: 1 }, annotations: [], cached: true };
    const line = {
      messages: [user, { role: "assistant", content: "Sent", ...notes }],
      trace_id: "x",
      metadata: { a: [1] },
      steps: [],
    };
    expect(read(line)).toMatchObject({ success: true });
    expect(read({ output: "x", toolCalls: [], steps: [{ pay: 1 }] })).toMatchObject({ success: true });
  });
});
