import { azureFake } from "../fake-models/azure.js";
import { mistralFake } from "../fake-models/mistral.js";
import { openaiFake } from "../fake-models/openai.js";
import { openaiResponsesFake } from "../fake-models/openai-responses.js";
import { answerSchema, type AdapterRow, type ErrorReply } from "./adapter-row.js";

const named = { type: "json_schema", json_schema: { name: "answer", schema: answerSchema } };
const sampling = { temperature: 0.11, top_p: 0.22 };
const penalties = { frequency_penalty: 0.55, presence_penalty: 0.66 };
const tooling = { tool_choice: "required", parallel_tool_calls: false };
const options = { ...sampling, ...penalties, seed: 44, stop: ["END"] };
const chatAt = {
  args: ["choices", 0, "message", "tool_calls", 0, "function", "arguments"],
  usage: [["usage"]],
  stop: ["choices", 0, "finish_reason"],
};

const openaiErrors = (code: string | null, type: string, status: number): ErrorReply => ({
  status,
  body: { error: { message: "No.", type, param: null, code } },
});

const openaiStyle = [
  openaiErrors("invalid_api_key", "invalid_request_error", 401),
  openaiErrors("rate_limit_exceeded", "requests", 429),
  openaiErrors(null, "server_error", 500),
  openaiErrors(null, "service_unavailable_error", 503),
] as const;

/** OpenAI's two APIs, and those that took them over. */
export const openaiRows: readonly AdapterRow[] = [
  {
    name: "openai",
    fake: openaiFake,
    endings: ["/v1", "/v1/"],
    path: "/v1/chat/completions",
    key: ["authorization", "Bearer "],
    requestId: "x-request-id",
    params: { ...options, ...tooling, max_tokens: 333, reasoning_effort: "high" },
    extra: { temperature: 0.9 },
    schema: { response_format: named },
    takesImageUrls: true,
    at: chatAt,
    errors: openaiStyle,
  },
  {
    name: "openai, responses",
    fake: openaiResponsesFake,
    endings: ["/v1", "/v1/"],
    path: "/v1/responses",
    key: ["authorization", "Bearer "],
    requestId: "x-request-id",
    params: { ...sampling, ...tooling, max_output_tokens: 333, reasoning: { effort: "high" } },
    extra: { reasoning: { effort: "low", summary: "auto" } },
    schema: { text: { format: { type: "json_schema", name: "answer", schema: answerSchema } } },
    takesImageUrls: true,
    at: { args: ["output", 1, "arguments"], usage: [["usage"]], stop: ["incomplete_details"], raw: ["reason"] },
    errors: openaiStyle,
  },
  {
    name: "azure",
    fake: azureFake,
    official: { resource: "shop" },
    endings: ["", "/", "/openai", "/openai/v1", "/openai/v1/"],
    path: "/openai/v1/chat/completions",
    key: ["api-key", ""],
    requestId: "apim-request-id",
    params: { ...options, ...tooling, max_completion_tokens: 333, reasoning_effort: "high" },
    extra: { seed: 9 },
    schema: { response_format: named },
    takesImageUrls: true,
    at: chatAt,
    errors: [
      { status: 401, body: { error: { code: "401", message: "Access denied due to invalid subscription key." } } },
      { status: 429, body: { error: { code: "429", message: "Please retry after 6 seconds." } } },
      { status: 500, body: { error: { code: "InternalServerError", message: "No." } } },
      { status: 503, body: { error: { code: "ServiceUnavailable", message: "No." } } },
    ],
  },
  {
    name: "mistral",
    fake: mistralFake,
    endings: ["", "/", "/v1", "/v1/"],
    path: "/v1/chat/completions",
    key: ["authorization", "Bearer "],
    requestId: "mistral-correlation-id",
    params: {
      ...sampling,
      ...penalties,
      max_tokens: 333,
      random_seed: 44,
      stop: ["END"],
      reasoning_effort: "high",
      tool_choice: "any",
      parallel_tool_calls: false,
    },
    extra: { random_seed: 9 },
    schema: { response_format: named },
    takesImageUrls: true,
    at: chatAt,
    errors: [
      { status: 401, body: { message: "Unauthorized", request_id: "1" } },
      {
        status: 429,
        body: { object: "error", message: "Requests rate limit exceeded", type: "rate_limited", code: "1300" },
      },
      { status: 500, body: { object: "error", message: "Service unavailable.", type: "internal_server_error" } },
      { status: 503, body: { object: "error", message: "No.", type: "service_tier_capacity_exceeded" } },
    ],
  },
];
