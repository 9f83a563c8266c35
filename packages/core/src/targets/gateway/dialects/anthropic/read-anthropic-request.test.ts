import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toAnthropicRequest } from "../../../../providers/anthropic/anthropic-format.js";
import type { ModelParams, ToolDefinition } from "../../../../providers/provider.js";
import type { Message } from "../../../../transcript/message.js";
import { userContent } from "../__fixtures__/user-content.js";
import { anthropicRequestSchema, anthropicTable } from "./anthropic-request.js";
import { readAnthropicRequest } from "./read-anthropic-request.js";

const text = fc.string({ minLength: 1 });
const args = fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), fc.oneof(fc.string(), fc.integer()));
const call = fc.record({ id: fc.uuid(), tool: fc.constantFrom("a", "b"), args });
const exchange = fc
  .record({
    content: userContent,
    said: text,
    calls: fc.array(call, { maxLength: 2 }),
    result: fc.string(),
    isError: fc.boolean(),
  })
  .map(({ content, said, calls, result, isError }): Message[] => [
    { role: "user", content },
    { role: "assistant", text: said, toolCalls: calls },
    ...calls.map(({ id, tool }): Message => ({ role: "tool", callId: id, tool, content: result, isError })),
  ]);

const choices = fc.oneof(
  fc.constant<ModelParams>({}),
  fc.constant<ModelParams>({ tool_choice: "none" }),
  fc.record(
    {
      tool_choice: fc.constantFrom("auto" as const, "required" as const, { tool: "a" }),
      parallel_tool_calls: fc.boolean(),
    },
    { requiredKeys: ["tool_choice"] },
  ),
);
const params = fc.record(
  {
    max_tokens: fc.integer({ min: 1 }),
    temperature: fc.constantFrom(0, 0.5),
    top_p: fc.constant(0.5),
    stop: fc.array(text, { minLength: 1, maxLength: 2 }),
    reasoning_effort: fc.constantFrom("low", "max"),
    response_format: fc.constant({ schema: { type: "object" }, strict: true }),
  },
  { requiredKeys: ["max_tokens"] },
);

const nothing = (): undefined => undefined;
const never = (): boolean => false;

describe("readAnthropicRequest", () => {
  it("reads back whatever the adapter for Anthropic writes, with nothing lost", () => {
    const tools: readonly ToolDefinition[] = [
      { name: "a", description: "A", parameters: { type: "object" }, strict: true },
      { name: "b", parameters: { type: "object", properties: {} } },
    ];
    fc.assert(
      fc.property(
        fc.array(exchange, { minLength: 1, maxLength: 3 }),
        params,
        choices,
        fc.option(text, { nil: undefined }),
        (exchanges, asked, choice, system) => {
          const messages: Message[] = [...exchanges.flat(), { role: "user", content: "Go on" }];
          const origin = { caseId: "c", trial: 1, turn: 1, seed: 1 };
          const all = { ...asked, ...choice };
          const request = { messages, tools, params: all, origin, ...(system === undefined ? {} : { system }) };
          const body: unknown = JSON.parse(JSON.stringify(toAnthropicRequest(request, "x")));
          expect(anthropicTable(never)(body, "")).toEqual([]);
          const read = readAnthropicRequest(anthropicRequestSchema.parse(body), nothing, never);
          expect(read).toEqual({ system: system ?? null, messages, tools, params: all });
        },
      ),
    );
  });

  it("keeps what stands before and after results in its place, and system messages where they are", () => {
    const { system, messages } = readAnthropicRequest(
      anthropicRequestSchema.parse({
        max_tokens: 1,
        system: [
          { type: "text", text: "A", cache_control: { type: "ephemeral" } },
          { type: "text", text: "B" },
        ],
        messages: [
          { role: "user", content: "go" },
          { role: "system", content: [{ type: "text", text: "Today" }] },
          { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "f", input: {} }] },
          {
            role: "user",
            content: [
              { type: "text", text: "before" },
              {
                type: "tool_result",
                tool_use_id: "t1",
                content: [
                  { type: "text", text: "x" },
                  { type: "tool_reference", tool_name: "y" },
                ],
              },
              { type: "tool_result", tool_use_id: "t2", is_error: true },
              { type: "text", text: "after" },
            ],
          },
        ],
      }),
      (id) => ({ kept: id }),
      never,
    );
    expect(system).toBe("A\n\nB");
    expect(messages).toEqual([
      { role: "user", content: "go" },
      { role: "system", content: "Today" },
      { role: "assistant", text: "", toolCalls: [{ id: "t1", tool: "f", args: {} }], providerData: { kept: "t1" } },
      { role: "user", content: [{ type: "text", text: "before" }] },
      { role: "tool", callId: "t1", tool: "f", content: "x\ny", isError: false },
      { role: "tool", callId: "t2", tool: "", content: "", isError: true },
      { role: "user", content: [{ type: "text", text: "after" }] },
    ]);
  });

  it.each([
    [{ thinking: { type: "disabled" }, service_tier: "auto", speed: "standard" }, []],
    [{ thinking: { type: "adaptive" } }, ["dropped thinking"]],
    [
      { metadata: { user_id: "u" }, top_k: 3, cache_control: {} },
      ["dropped metadata", "dropped top_k", "dropped cache_control"],
    ],
    [{ context_management: { edits: [] }, fallbacks: [] }, ["dropped context_management", "dropped fallbacks"]],
    [{ max_tokens: 0 }, ["refused max_tokens"]],
    [{ container: "c" }, ["refused container"]],
    [{ mcp_servers: [] }, ["refused mcp_servers"]],
    [{ output_config: { task_budget: {} } }, ["dropped output_config.task_budget"]],
    [{ tomorrow: 1 }, ["refused tomorrow"]],
    [{ tools: [{ type: "web_search_20250305" }] }, ["refused tools[](web_search_20250305)"]],
    [{ tools: [{ type: "bash_20250124" }] }, ["refused tools[](bash_20250124)"]],
    [
      {
        tools: [
          { name: "f", input_schema: {}, type: null, defer_loading: true, cache_control: {}, input_examples: [] },
        ],
      },
      ["changed tools[].defer_loading", "dropped tools[].cache_control", "dropped tools[].input_examples"],
    ],
    [{ tools: [{ name: "f", defer_loading: false, allowed_callers: ["direct"] }] }, []],
    [{ tools: [{ name: "f", allowed_callers: ["code_execution_20260120"] }] }, ["refused tools[].allowed_callers"]],
    [{ messages: [{ role: "assistant", content: "It is" }] }, ["refused messages[last]"]],
  ])("says what is lost of %j", (body, lost) => {
    expect(anthropicTable(never)(body, "").map(({ kind, path }) => `${kind} ${path}`)).toEqual(lost);
  });

  it.each([
    [{ type: "thinking", thinking: "", signature: "s" }, ["dropped (thinking)"]],
    [{ type: "redacted_thinking", data: "" }, ["dropped (thinking)"]],
    [{ type: "text", text: "", citations: [1], cache_control: {} }, ["dropped .citations", "dropped .cache_control"]],
    [{ type: "image", source: { type: "url", url: "u" } }, []],
    [{ type: "image", source: { type: "file", file_id: "f" } }, ["refused .source(file)"]],
    [{ type: "image", source: { type: "url", url: "u" }, transformations: {} }, ["refused .transformations"]],
    [{ type: "tool_use", caller: { type: "direct" }, toolset_name: null }, []],
    [{ type: "tool_use", caller: { type: "code_execution_20260120" } }, ["refused .caller"]],
    [{ type: "tool_result", content: [{ type: "image" }] }, ["refused .content[](image)"]],
    [
      { type: "tool_result", content: [{ type: "tool_reference", tool_name: "f" }] },
      ["changed .content[](tool_reference)"],
    ],
    ...["document", "search_result", "container_upload", "server_tool_use", "web_search_tool_result", "compaction"].map(
      (type): [object, string[]] => [{ type }, [`refused (${type})`]],
    ),
  ])("says what is lost of the block %j", (block, lost) => {
    const body = { messages: [{ role: "user", content: [block] }] };
    const found = anthropicTable(never)(body, "").map(({ kind, path }) => `${kind} ${path}`);
    expect(found).toEqual(lost.map((one) => one.replace(" ", " messages[].content[]")));
  });
});
