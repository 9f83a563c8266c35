import { describe, expect, it } from "vitest";
import { adapterRows } from "../support/adapters/adapter-rows.js";
import { eventFrame } from "../support/fake-models/bedrock.js";
import { createAdapterFamily } from "../support/forbidden-calls/adapter-family.js";

/** Replies in which `delete_account` was called and no assertion saw it, as the fuzz of forbidden calls found them. */
const args = '{"account_id":"ACC-7"}';
const called = { id: "c1", type: "function", function: { name: "delete_account", arguments: args } };
const allowed = { id: "c0", type: "function", function: { name: "lookup_order", arguments: "{}" } };
const said = { role: "assistant", content: "Done." };

const whole: readonly [family: string, what: string, reply: object][] = [
  ["openai", "in the second choice", { choices: [{ message: said }, { message: { ...said, tool_calls: [called] } }] }],
  ["openai", "in an object in place of a list", { choices: [{ message: { ...said, tool_calls: { "0": called } } }] }],
  ["openai", "in the content", { choices: [{ message: { content: [{ type: "text", text: "Done." }, called] } }] }],
  ["openai", "without a name", { choices: [{ message: { ...said, tool_calls: [{ function: { name: "" } }] } }] }],
  [
    "openai",
    "inside of another call",
    { choices: [{ message: { tool_calls: [{ ...allowed, toolCalls: [called] }] } }] },
  ],
  [
    "openai",
    "with the name of a call that was read and other arguments",
    {
      choices: [
        {
          message: {
            tool_calls: [{ ...called, function: { ...called.function, arguments: '{"account_id":"ACC-1"}' } }],
          },
        },
        called,
      ],
    },
  ],
  [
    "anthropic",
    "under an unknown type",
    {
      content: [
        { type: "text", text: "Done." },
        { type: "tool_use_v2", id: "t", name: "delete_account", input: {} },
      ],
    },
  ],
  [
    "anthropic",
    "that has its arguments in parameters",
    {
      content: [
        { type: "text", text: "Done." },
        { id: "t", name: "delete_account", parameters: { account_id: "ACC-7" } },
      ],
    },
  ],
  [
    "anthropic",
    "that a connected server ran",
    {
      content: [
        { type: "text", text: "Done." },
        { type: "mcp_tool_use", id: "t", name: "delete_account", server_name: "shop", input: {} },
      ],
    },
  ],
  [
    "openai, responses",
    "under an unknown type",
    {
      output: [
        { type: "message", content: [{ type: "output_text", text: "Done." }] },
        { type: "action", name: "delete_account", arguments: args },
      ],
    },
  ],
  [
    "openai, responses",
    "that a connected server ran",
    {
      output: [
        { type: "message", content: [{ type: "output_text", text: "Done." }] },
        { type: "mcp_call", id: "m", server_label: "shop", name: "delete_account", arguments: args, output: "ok" },
      ],
    },
  ],
  [
    "gemini",
    "in the second candidate",
    {
      candidates: [
        { content: { parts: [{ text: "Done." }] } },
        { content: { parts: [{ functionCall: { name: "delete_account", args: {} } }] } },
      ],
    },
  ],
  [
    "gemini",
    "in snake_case",
    {
      candidates: [
        { content: { parts: [{ text: "Done." }, { function_call: { name: "delete_account", args: {} } }] } },
      ],
    },
  ],
  [
    "bedrock",
    "that the provider ran",
    {
      output: {
        message: {
          content: [
            { text: "Done." },
            { toolUse: { type: "server_tool_use", toolUseId: "t", name: "delete_account", input: {} } },
          ],
        },
      },
    },
  ],
  [
    "bedrock",
    "in snake_case",
    { output: { message: { content: [{ text: "Done." }, { tool_use: { name: "delete_account", input: {} } }] } } },
  ],
  ["mistral", "beside the message", { choices: [{ message: said, toolCalls: [called] }] }],
  ["cohere", "beside the message", { message: { content: [{ type: "text", text: "Done." }] }, toolCall: called }],
  ["ollama", "in an object in place of a list", { message: { ...said, tool_calls: called } }],
  ...[
    "functions.delete_account",
    " delete_account",
    "delete_account\u200B",
    "tools.functions. delete_account",
    "ｄelete_account",
  ].map((name): [string, string, object] => [
    "openai",
    `with the name ${JSON.stringify(name)}`,
    { choices: [{ message: { tool_calls: [{ ...called, function: { name, arguments: args } }] } }] },
  ]),
];

const events = (...data: readonly object[]): string => data.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
const delta = (value: object, index = 0): object => ({ choices: [{ index, delta: value }] });
const block = (index: number, value: object): object => ({ type: "content_block_start", index, content_block: value });
const end = "data: [DONE]\n\n";
const use = { type: "tool_use", id: "t", name: "delete_account", input: {} };

const streamed: readonly [family: string, what: string, reply: string | Buffer][] = [
  ["openai", "in the second choice", events(delta(said), delta({ tool_calls: [called] }, 1)) + end],
  [
    "openai",
    "with its name in pieces",
    events(
      delta({ tool_calls: [{ index: 0, id: "c", function: { name: "delete_", arguments: "" } }] }),
      delta({ tool_calls: [{ index: 0, function: { name: "account" } }] }),
    ) + end,
  ],
  [
    "openai",
    "under another key of the name",
    events(
      delta(said),
      delta({ tool_calls: [{ index: 0, function: { tool: "delete_account", arguments: "" } }] }),
      delta({ tool_calls: [{ index: 1, ...allowed }] }),
    ) + end,
  ],
  [
    "anthropic",
    "whose block begins anew",
    events({ type: "message_start", message: {} }, block(0, use), block(0, { type: "text", text: "Done." }), {
      type: "message_stop",
    }),
  ],
  [
    "anthropic",
    "in an event of another type",
    events(
      { type: "message_start", message: {} },
      block(0, { type: "text", text: "Done." }),
      { ...block(1, use), type: "tool_use_start" },
      { type: "message_stop" },
    ),
  ],
  [
    "cohere",
    "that shares its index",
    events(
      { type: "message-start" },
      { type: "tool-call-start", delta: { message: { tool_calls: called } } },
      { type: "tool-call-start", delta: { message: { tool_calls: allowed } } },
      { type: "message-end", delta: { finish_reason: "COMPLETE" } },
    ),
  ],
  [
    "ollama",
    "beside the message",
    `${JSON.stringify({ message: said, functionCalls: [called] })}\n${JSON.stringify({ done: true })}\n`,
  ],
  [
    "bedrock",
    "within a piece of a call",
    Buffer.concat(
      (
        [
          ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Done." } }],
          ["contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { calls: [{ name: "delete_account" }] } } }],
          ["messageStop", { stopReason: "end_turn" }],
        ] as const
      ).map(eventFrame),
    ),
  ],
];

function familyOf(name: string) {
  const row = adapterRows.find((one) => one.name === name);
  if (row === undefined) throw new Error(`there is no adapter ${name}`);
  return createAdapterFamily(row);
}

it.each<[family: string, reply: object]>([
  [
    "anthropic",
    {
      content: [
        { type: "server_tool_use", id: "s", name: "web_search", input: { query: "weather" } },
        {
          type: "web_search_tool_result",
          tool_use_id: "s",
          content: [{ type: "web_search_result", title: "Weather", url: "https://weather.example" }],
        },
        { type: "text", text: "Sunny." },
      ],
      usage: { input_tokens: 1, output_tokens: 1, server_tool_use: { web_search_requests: 1 } },
    },
  ],
  [
    "openai, responses",
    {
      output: [
        { type: "mcp_list_tools", tools: [{ name: "delete_account", input_schema: { type: "object" } }] },
        { type: "web_search_call", id: "ws", status: "completed", action: { type: "search", query: "weather" } },
        { type: "message", content: [{ type: "output_text", text: "Sunny." }] },
      ],
      tools: [{ type: "function", name: "delete_account", parameters: { type: "object" } }],
    },
  ],
])("tools that the provider runs are calls of the trial: %s", async (family, reply) => {
  const { forbidding, error } = await familyOf(family).judge([Buffer.from(JSON.stringify(reply))], false);
  expect(error).toBeNull();
  expect(forbidding).toEqual({ tool_not_called: "passed", max_tool_calls: "passed", tool_calls: "failed" });
});

describe("a forbidden call does not pass", () => {
  it.each(whole)("in a reply of %s, %s", async (family, _what, reply) => {
    const { forbidding } = await familyOf(family).judge([Buffer.from(JSON.stringify(reply))], false);
    expect(Object.values(forbidding)).not.toContain("passed");
  });

  it.each(streamed)("in a stream of %s, %s", async (family, _what, reply) => {
    const { forbidding } = await familyOf(family).judge([Buffer.from(reply)], true);
    expect(Object.values(forbidding)).not.toContain("passed");
  });
});
