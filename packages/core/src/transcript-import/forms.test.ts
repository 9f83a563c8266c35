import type Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { Message } from "../transcript/message.js";
import { deriveTrial, type DerivedTrial } from "./derive-trial.js";
import { readMessages } from "./read-messages.js";

/** A conversation, in no form. */
interface Told {
  system: string;
  turns: readonly {
    user: string;
    steps: readonly {
      text: string;
      calls: readonly { tool: string; args: Record<string, string | number>; result: Told["turns"][number]["user"] }[];
    }[];
    answer: string;
  }[];
}

const word = fc.stringMatching(/^[a-z]{1,6}$/);
const result = fc.oneof(
  word,
  fc.record({ total: fc.nat(99) }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '{"ok":false,"error":"no such order","errorType":"logical","retryable":false,"recommendations":["Ask"]}',
    '{"ok":false,"error":"bad id","errorType":"validation"}',
  ),
);
const call = fc.record({ tool: word, args: fc.dictionary(word, fc.oneof(word, fc.nat(9)), { maxKeys: 2 }), result });
const step = fc.record({
  text: fc.oneof(fc.constant(""), word),
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
});
const told: fc.Arbitrary<Told> = fc.record({
  system: word,
  turns: fc.array(fc.record({ user: word, steps: fc.array(step, { maxLength: 2 }), answer: word }), {
    minLength: 1,
    maxLength: 3,
  }),
});

/** Calls of one step have ids of their own; steps may have the same ones. */
const idOf = (index: number): string => `call_${index}`;

function asOpenAi({ system, turns }: Told): OpenAI.ChatCompletionMessageParam[] {
  return [
    { role: "system", content: system },
    ...turns.flatMap(({ user, steps, answer }): OpenAI.ChatCompletionMessageParam[] => [
      { role: "user", content: user },
      ...steps.flatMap(({ text, calls }): OpenAI.ChatCompletionMessageParam[] => [
        {
          role: "assistant",
          content: text === "" ? null : text,
          tool_calls: calls.map(({ tool, args }, index) => ({
            id: idOf(index),
            type: "function",
            function: { name: tool, arguments: JSON.stringify(args) },
          })),
        },
        ...calls.map((one, index) => ({
          role: "tool" as const,
          tool_call_id: idOf(index),
          content: one.result,
        })),
      ]),
      { role: "assistant", content: answer },
    ]),
  ];
}

function asAnthropic({ turns }: Told): Anthropic.MessageParam[] {
  return turns.flatMap(({ user, steps, answer }): Anthropic.MessageParam[] => [
    { role: "user", content: user },
    ...steps.flatMap(({ text, calls }): Anthropic.MessageParam[] => [
      {
        role: "assistant",
        content: [
          ...(text === "" ? [] : [{ type: "text" as const, text }]),
          ...calls.map(({ tool, args }, index) => ({
            type: "tool_use" as const,
            id: idOf(index),
            name: tool,
            input: args,
          })),
        ],
      },
      {
        role: "user",
        content: calls.map((one, index) => ({
          type: "tool_result" as const,
          tool_use_id: idOf(index),
          content: [{ type: "text" as const, text: one.result }],
          is_error: one.result.startsWith('{"ok":false'),
        })),
      },
    ]),
    { role: "assistant", content: [{ type: "text", text: answer }] },
  ]);
}

function asItems({ system, turns }: Told): OpenAI.Responses.ResponseInputItem[] {
  return [
    { role: "developer", content: system },
    ...turns.flatMap(({ user, steps, answer }): OpenAI.Responses.ResponseInputItem[] => [
      { role: "user", content: [{ type: "input_text", text: user }] },
      ...steps.flatMap(({ text, calls }): OpenAI.Responses.ResponseInputItem[] => [
        ...(text === "" ? [] : [{ role: "assistant" as const, content: text }]),
        ...calls.map(({ tool, args }, index) => ({
          type: "function_call" as const,
          call_id: idOf(index),
          name: tool,
          arguments: JSON.stringify(args),
        })),
        ...calls.map((one, index) => ({
          type: "function_call_output" as const,
          call_id: idOf(index),
          output: one.result,
        })),
      ]),
      { role: "assistant", content: answer },
    ]),
  ];
}

const placed = (messages: readonly unknown[]) =>
  messages.map((value, index) => ({ value, path: `messages[${index}]` }));

function read(messages: readonly unknown[]): DerivedTrial {
  const parsed = readMessages(placed(messages));
  if (!parsed.success) throw new Error(parsed.error);
  return deriveTrial(parsed.data);
}

/** Whether the model was told that something is an error is known of Anthropic's form alone. */
function withoutMarks(trial: DerivedTrial): unknown {
  const strip = (messages: readonly Message[] = []): unknown[] =>
    messages.map((message) => (message.role === "tool" ? { ...message, isError: null } : message));
  const { userTurns = [] } = trial;
  return {
    ...trial,
    messages: strip(trial.messages),
    userTurns: userTurns.map((slice) => ({ ...slice, messages: strip(slice.messages) })),
  };
}

describe("the forms of a conversation", () => {
  it("all give the same trial", () => {
    fc.assert(
      fc.property(told, (one) => {
        const trial = withoutMarks(read(asOpenAi(one)));
        expect(withoutMarks(read(asAnthropic(one)))).toEqual(trial);
        expect(withoutMarks(read(asItems(one)))).toEqual(trial);
        // And once more, as KindLM itself has it.
        expect(withoutMarks(read(read(asAnthropic(one)).messages))).toEqual(trial);
      }),
    );
  });

  it("is what was said and done", () => {
    const one: Told = {
      system: "Be brief.",
      turns: [
        {
          user: "Where?",
          steps: [{ text: "Let me see", calls: [{ tool: "look", args: { id: "7" }, result: '{"status":"sent"}' }] }],
          answer: "Sent",
        },
        { user: "Thanks", steps: [], answer: "Bye" },
      ],
    };
    const calls = [{ tool: "look", args: { id: "7" }, result: { status: "sent" }, turn: 1, userTurn: 1 }];
    const trial = read(asAnthropic(one));
    expect(trial).toMatchObject({ output: "Bye", turns: 3, toolCalls: calls });
    expect(trial.userTurns).toMatchObject([
      { output: "Sent", turns: 2, toolCalls: calls },
      { output: "Bye", turns: 1, toolCalls: [] },
    ]);
    expect(trial.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
      "assistant",
    ]);
  });
});

describe("deriveTrial", () => {
  const oneCall = (content: string, more: object = {}) =>
    read([
      { role: "user", content: "q" },
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "t", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content, ...more }] },
      { role: "assistant", content: "x" },
    ]).toolCalls[0];

  it.each<[string, object, object]>([
    ["plain", {}, { result: "plain" }],
    ["42", {}, { result: "42" }],
    ["[1]", {}, { result: [1] }],
    ["{broken", {}, { result: "{broken" }],
    ["no luck", { is_error: true }, { error: { errorType: "logical", message: "no luck", retryable: true } }],
    ['{"ok":false,"error":"e"}', {}, { error: { errorType: "logical", message: "e", retryable: true } }],
    [
      '{"ok":false,"error":"e","errorType":"validation"}',
      {},
      { error: { errorType: "validation", message: "e", retryable: false } },
    ],
    ['{"ok":true,"n":1}', {}, { result: { ok: true, n: 1 } }],
  ])("reads the result %s of a call", (content, more, outcome) => {
    expect(oneCall(content, more)).toEqual({ tool: "t", args: {}, turn: 1, userTurn: 1, ...outcome });
  });

  it("keeps arguments that are no JSON, and a call that nobody answered", () => {
    const trial = read([
      { role: "user", content: "q" },
      { role: "assistant", tool_calls: [{ id: "a", function: { name: "t", arguments: "{oops" } }] },
    ]);
    expect(trial.toolCalls).toEqual([{ tool: "t", args: "{oops", turn: 1, userTurn: 1 }]);
    expect(trial.output).toBe("");
  });

  it("leaves what was there before the trial to others", () => {
    const messages = asOpenAi({
      system: "s",
      turns: [
        { user: "a", steps: [{ text: "", calls: [{ tool: "t", args: {}, result: "r" }] }], answer: "b" },
        { user: "c", steps: [], answer: "d" },
      ],
    });
    const parsed = readMessages(placed(messages));
    if (!parsed.success) throw new Error(parsed.error);
    expect(deriveTrial(parsed.data, 4)).toMatchObject({
      output: "d",
      turns: 1,
      toolCalls: [],
      userTurns: [{ turns: 1 }],
    });
  });
});

describe("readMessages", () => {
  it.each<[string, unknown[], string]>([
    ["a role that nobody has", [{ role: "bot", content: "x" }], 'messages[0] has the role "bot"'],
    ["no object", ["x"], "messages[0] is not an object"],
    [
      "an answer to nobody",
      [{ role: "tool", tool_call_id: "a", content: "x" }],
      'answers the call "a", which nobody made',
    ],
    [
      "a call without a function",
      [{ role: "assistant", tool_calls: [{ id: "a" }] }],
      "messages[0].tool_calls[0] is a tool call that has no name",
    ],
    [
      "a result without its call",
      [{ role: "user", content: [{ type: "tool_result", content: "x" }] }],
      "messages[0].content[0] is a tool result without tool_use_id",
    ],
    [
      "an output without a call",
      [{ type: "function_call_output", call_id: "c", output: "x" }],
      'messages[0] answers the call "c"',
    ],
  ])("refuses %s", (_name, messages, problem) => {
    const parsed = readMessages(placed(messages));
    expect(parsed.success ? "" : parsed.error).toContain(problem);
  });

  it("takes pictures, refusals and the tools that a provider runs itself", () => {
    const png = "data:image/png;base64,AAAA";
    expect(
      read([
        {
          role: "user",
          content: [
            { type: "text", text: "see" },
            { type: "image_url", image_url: { url: png } },
          ],
        },
        { role: "assistant", content: null, refusal: "No." },
      ]),
    ).toMatchObject({
      output: "No.",
      messages: [
        {
          content: [
            { type: "text", text: "see" },
            { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AAAA" } },
          ],
        },
        { text: "No." },
      ],
    });
    expect(
      read([
        { role: "user", content: "q" },
        {
          role: "assistant",
          content: [
            { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } },
            { type: "web_search_tool_result", tool_use_id: "s", content: { type: "web_search_tool_result_error" } },
            { type: "text", text: "none" },
          ],
        },
      ]),
    ).toMatchObject({ output: "none", turns: 1, toolCalls: [{ tool: "web_search", error: { errorType: "logical" } }] });
    expect(
      read([
        { type: "message", role: "user", content: "q" },
        { type: "web_search_call", id: "w", status: "completed", action: { query: "x" } },
        { type: "reasoning", summary: [] },
        { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
      ]),
    ).toMatchObject({ output: "No.", turns: 1, toolCalls: [{ tool: "web_search", args: { query: "x" } }] });
  });
});
