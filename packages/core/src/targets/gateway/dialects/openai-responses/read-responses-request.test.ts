import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toResponsesRequest } from "../../../../providers/openai-apis/responses/to-request.js";
import type { Message } from "../../../../transcript/message.js";
import { createResponseMemory } from "./openai-responses.js";
import { readResponsesRequest } from "./read-responses-request.js";
import { responsesRequestSchema } from "./responses-schema.js";
import { ResponsesTools } from "./responses-tools.js";

const text = fc.string({ minLength: 1 });
const call = fc.record({ id: fc.uuid(), tool: fc.constantFrom("a", "b"), args: fc.dictionary(text, fc.integer()) });
const exchange = fc
  .record({ said: text, answer: text, calls: fc.array(call, { maxLength: 2 }), result: fc.string() })
  .map(({ said, answer, calls, result }): Message[] => [
    { role: "user", content: said },
    { role: "assistant", text: answer, toolCalls: calls },
    ...calls.map(({ id, tool }): Message => ({ role: "tool", callId: id, tool, content: result, isError: false })),
  ]);

describe("readResponsesRequest", () => {
  it("reads back whatever the adapter for OpenAI's Responses API writes", () => {
    const tools = [{ name: "a", description: "A", parameters: { type: "object" }, strict: true }];
    const asked = {
      temperature: 0.5,
      max_tokens: 100,
      reasoning_effort: "low",
      tool_choice: { tool: "a" },
      parallel_tool_calls: false,
      response_format: { name: "n", schema: { type: "object" }, strict: true },
    };
    fc.assert(
      fc.property(fc.array(exchange, { minLength: 1, maxLength: 3 }), (exchanges) => {
        const messages = exchanges.flat();
        const origin = { caseId: "c", trial: 1, turn: 1, seed: 1 };
        const request = { system: "S", messages, tools, params: asked, origin };
        const body: unknown = JSON.parse(JSON.stringify(toResponsesRequest(request, { model: "x", source: "openai" })));
        const parsed = responsesRequestSchema.parse(body);
        const conversation = createResponseMemory().conversationOf(parsed);
        if (!conversation.success) throw new Error(conversation.error);
        const read = readResponsesRequest(
          parsed,
          { conversation: conversation.data, tools: new ResponsesTools(parsed.tools ?? []) },
          () => undefined,
        );
        expect(read).toEqual({ system: "S", messages, tools, params: asked });
      }),
    );
  });
});
