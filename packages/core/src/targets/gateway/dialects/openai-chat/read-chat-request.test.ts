import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toOpenaiRequest } from "../../../../providers/openai-apis/openai-format.js";
import type { ModelParams } from "../../../../providers/provider.js";
import type { Message } from "../../../../transcript/message.js";
import { userContent } from "../__fixtures__/user-content.js";
import { chatRequestSchema, readChatRequest } from "./read-chat-request.js";

const text = fc.string({ minLength: 1 });
const object = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 5 }),
  fc.oneof(fc.string(), fc.integer(), fc.boolean()),
);
const call = fc.record({ id: fc.uuid(), tool: fc.constantFrom("a", "b"), args: object });

const exchange = fc
  .record({
    content: userContent,
    text: fc.string(),
    calls: fc.array(call, { maxLength: 2 }),
    result: fc.string(),
  })
  .map(({ content, text: said, calls, result }): Message[] => [
    { role: "user", content },
    { role: "assistant", text: said, toolCalls: calls },
    ...calls.map(({ id, tool }): Message => ({ role: "tool", callId: id, tool, content: result, isError: false })),
  ]);

const params: fc.Arbitrary<ModelParams> = fc.record(
  {
    temperature: fc.double({ min: 0, max: 2, noNaN: true }).map((value) => value + 0),
    top_p: fc.constant(0.5),
    max_tokens: fc.integer({ min: 1 }),
    seed: fc.integer(),
    stop: fc.array(text, { minLength: 1, maxLength: 2 }),
    frequency_penalty: fc.constant(1),
    presence_penalty: fc.constant(-1),
    reasoning_effort: fc.constantFrom("low", "high"),
    tool_choice: fc.constantFrom("auto" as const, "none" as const, "required" as const, { tool: "a" }),
    parallel_tool_calls: fc.boolean(),
    response_format: fc.constantFrom("json" as const, { name: "n", schema: { type: "object" }, strict: true }),
  },
  { requiredKeys: [] },
);

describe("readChatRequest", () => {
  it("reads back whatever the adapter for OpenAI writes", () => {
    const tools = [{ name: "a", description: "A", parameters: { type: "object" } }];
    fc.assert(
      fc.property(
        fc.array(exchange, { minLength: 1, maxLength: 3 }),
        params,
        fc.option(text, { nil: undefined }),
        fc.constantFrom("max_tokens" as const, "max_completion_tokens" as const),
        (exchanges, asked, system, maxTokensKey) => {
          const messages = exchanges.flat();
          const origin = { caseId: "c", trial: 1, turn: 1, seed: 1 };
          const request = { messages, tools, params: asked, origin, ...(system === undefined ? {} : { system }) };
          const body: unknown = JSON.parse(JSON.stringify(toOpenaiRequest(request, { model: "x", maxTokensKey })));
          const read = readChatRequest(chatRequestSchema.parse(body), () => undefined);
          expect(read).toEqual({ system: system ?? null, messages, tools, params: asked });
        },
      ),
    );
  });

  it("gives back what the adapter wants to have with an answer, and a system message that comes late", () => {
    const request = chatRequestSchema.parse({
      messages: [
        { role: "user", content: "a" },
        { role: "assistant", content: null, tool_calls: [{ id: "c1", function: { name: "f", arguments: "{oops" } }] },
        {
          role: "tool",
          tool_call_id: "c1",
          content: [
            { type: "text", text: "x" },
            { type: "text", text: "y" },
          ],
        },
        { role: "developer", content: "be brief" },
      ],
      some_new_key: 1,
    });
    const { messages, system } = readChatRequest(request, (id) => ({ kept: id }));
    expect(system).toBe(null);
    expect(messages).toEqual([
      { role: "user", content: "a" },
      {
        role: "assistant",
        text: "",
        toolCalls: [{ id: "c1", tool: "f", args: undefined, malformed: { raw: "{oops", reason: expect.any(String) } }],
        providerData: { kept: "c1" },
      },
      { role: "tool", callId: "c1", tool: "f", content: "xy", isError: false },
      { role: "system", content: "be brief" },
    ]);
  });
});
