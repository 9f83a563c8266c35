import { anthropicFake } from "../fake-models/anthropic.js";
import { bedrockFake } from "../fake-models/bedrock.js";
import { cohereFake } from "../fake-models/cohere.js";
import { geminiFake } from "../fake-models/gemini.js";
import { ollamaFake } from "../fake-models/ollama.js";
import { answerSchema, type AdapterRow, type ErrorReply } from "./adapter-row.js";
import { openaiRows } from "./openai-rows.js";

const sampling = { temperature: 0.11, top_p: 0.22 };
const penalties = { frequency_penalty: 0.55, presence_penalty: 0.66 };

const anthropicErrors = (type: string, status: number): ErrorReply => ({
  status,
  body: { type: "error", error: { type, message: "No." }, request_id: "req_1" },
});
const googleErrors = (reason: string, status: number, details: readonly unknown[] = []): ErrorReply => ({
  status,
  body: { error: { code: status, message: "No.", status: reason, details } },
});
const amazonErrors = (name: string, status: number): ErrorReply => ({
  status,
  body: { message: "No." },
  headers: { "x-amzn-errortype": `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
});

export const adapterRows: readonly AdapterRow[] = [
  ...openaiRows,
  {
    name: "anthropic",
    fake: anthropicFake,
    endings: ["", "/", "/v1", "/v1/"],
    path: "/v1/messages",
    key: ["x-api-key", ""],
    requestId: "request-id",
    params: {
      ...sampling,
      max_tokens: 333,
      stop_sequences: ["END"],
      output_config: { effort: "high" },
      tool_choice: { type: "any", disable_parallel_tool_use: true },
    },
    extra: { stop_sequences: [] },
    schema: { output_config: { format: { type: "json_schema", schema: answerSchema } } },
    takesImageUrls: true,
    at: { args: ["content", 1, "input"], usage: [["usage"]], stop: ["stop_reason"] },
    errors: [
      anthropicErrors("authentication_error", 401),
      anthropicErrors("rate_limit_error", 429),
      anthropicErrors("api_error", 500),
      anthropicErrors("overloaded_error", 529),
    ],
  },
  {
    name: "gemini",
    fake: geminiFake,
    endings: ["", "/", "/v1beta", "/v1beta/"],
    path: "/v1beta/models/test-model:generateContent",
    key: ["x-goog-api-key", ""],
    requestId: "x-request-id",
    params: {
      generationConfig: {
        temperature: 0.11,
        topP: 0.22,
        maxOutputTokens: 333,
        seed: 44,
        stopSequences: ["END"],
        frequencyPenalty: 0.55,
        presencePenalty: 0.66,
        thinkingConfig: { thinkingLevel: "HIGH" },
      },
      toolConfig: { functionCallingConfig: { mode: "ANY" } },
    },
    extra: { generationConfig: { topK: 3 }, toolConfig: { functionCallingConfig: { mode: "VALIDATED" } } },
    schema: { generationConfig: { responseMimeType: "application/json", responseJsonSchema: answerSchema } },
    takesImageUrls: true,
    at: {
      args: ["candidates", 0, "content", "parts", 1, "functionCall", "args"],
      usage: [["usageMetadata"]],
      stop: ["candidates", 0, "finishReason"],
    },
    errors: [
      googleErrors("INVALID_ARGUMENT", 400, [
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" },
      ]),
      googleErrors("RESOURCE_EXHAUSTED", 429),
      googleErrors("INTERNAL", 500),
      googleErrors("UNAVAILABLE", 503),
    ],
  },
  {
    name: "cohere",
    fake: cohereFake,
    endings: ["", "/", "/v1", "/v2", "/v2/"],
    path: "/v2/chat",
    key: ["authorization", "Bearer "],
    requestId: "x-debug-trace-id",
    params: {
      ...penalties,
      temperature: 0.11,
      p: 0.22,
      max_tokens: 333,
      seed: 44,
      stop_sequences: ["END"],
      thinking: { type: "enabled" },
      tool_choice: "REQUIRED",
    },
    extra: { thinking: { type: "enabled", token_budget: 9 } },
    schema: { response_format: { type: "json_object", json_schema: answerSchema } },
    takesImageUrls: true,
    at: {
      args: ["message", "tool_calls", 0, "function", "arguments"],
      usage: [["usage"]],
      stop: ["finish_reason"],
    },
    errors: [
      { status: 401, body: { message: "invalid api token" } },
      { status: 429, body: { message: "You are past the per minute request limit" } },
      { status: 500, body: { message: "internal server error" } },
      { status: 503, body: { message: "service unavailable" } },
    ],
  },
  {
    name: "ollama",
    fake: ollamaFake,
    official: { base_url: "https://ollama.com" },
    endings: ["", "/", "/api", "/v1", "/v1/"],
    path: "/api/chat",
    key: ["authorization", "Bearer "],
    requestId: "x-request-id",
    params: { options: { ...sampling, ...penalties, seed: 44, stop: ["END"], num_predict: 333 }, think: "high" },
    extra: { options: { num_ctx: 9 }, think: false },
    schema: { format: answerSchema },
    takesImageUrls: false,
    at: {
      args: ["message", "tool_calls", 0, "function", "arguments"],
      usage: [["prompt_eval_count"], ["eval_count"]],
      stop: ["done_reason"],
    },
    errors: [
      { status: 401, body: { error: "unauthorized" } },
      { status: 429, body: { error: "too many concurrent requests" } },
      { status: 500, body: { error: "model requires more system memory" } },
      { status: 503, body: { error: "server busy, please try again.  maximum pending requests exceeded" } },
    ],
  },
  {
    name: "bedrock",
    fake: bedrockFake,
    provider: { region: "us-east-1" },
    official: { region: "us-east-1", api_key_env: "FAKE_BEDROCK_KEY" },
    endings: ["", "/"],
    path: "/model/test-model/converse",
    key: ["authorization", "Bearer "],
    requestId: "x-amzn-requestid",
    params: {
      inferenceConfig: { maxTokens: 333, temperature: 0.11, topP: 0.22, stopSequences: ["END"] },
      outputConfig: { effort: "high" },
      toolConfig: { toolChoice: { any: {} } },
    },
    extra: { inferenceConfig: { maxTokens: 9 } },
    schema: {
      outputConfig: {
        textFormat: { type: "json_schema", structure: { jsonSchema: { schema: JSON.stringify(answerSchema) } } },
      },
    },
    takesImageUrls: false,
    at: {
      args: ["output", "message", "content", 2, "toolUse", "input"],
      usage: [["usage"]],
      stop: ["stopReason"],
    },
    errors: [
      amazonErrors("UnrecognizedClientException", 403),
      amazonErrors("ThrottlingException", 429),
      amazonErrors("InternalServerException", 500),
      amazonErrors("ServiceUnavailableException", 503),
    ],
  },
];
