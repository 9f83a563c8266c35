import type { JsonObject } from "../../../packages/core/src/values/json.js";
import type { FakeModel } from "../fake-models/fake-model.js";
import type { JsonPath } from "../json-paths.js";

/** An error reply as the provider documents it. */
export interface ErrorReply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** What distinguishes one adapter from another, as far as every one of them keeps the same promises. */
export interface AdapterRow {
  name: string;
  fake: FakeModel;
  /** Settings beside address and key. */
  provider?: Readonly<Record<string, unknown>>;
  /** Settings that lead to the provider's own servers, which want a key. */
  official?: Readonly<Record<string, unknown>>;
  /** Forms of the same address, by their ends. */
  endings: readonly string[];
  path: string;
  /** Header with the key, and what stands before it. */
  key: readonly [header: string, before: string];
  requestId: string;
  /** The translation of {@link allParams}, which is all of the body beside the conversation. */
  params: JsonObject;
  /** Something of `extra_body` that a parameter wants otherwise. */
  extra: JsonObject;
  /** Body, or part of it, for a schema that the answer must satisfy. */
  schema: JsonObject;
  takesImageUrls: boolean;
  /** Where a reply has the arguments of its first call, its usage and its reason to stop. */
  at: { args: JsonPath; usage: readonly JsonPath[]; stop: JsonPath; raw?: JsonPath };
  /** 401, 429, 500 and 503. */
  errors: readonly [ErrorReply, ErrorReply, ErrorReply, ErrorReply];
}

/** Every parameter, none with the value of another; the format of the answer has a test of its own. */
export const allParams = {
  temperature: 0.11,
  top_p: 0.22,
  max_tokens: 333,
  seed: 44,
  stop: ["END"],
  frequency_penalty: 0.55,
  presence_penalty: 0.66,
  reasoning_effort: "high",
  tool_choice: "required",
  parallel_tool_calls: false,
} as const;

export const answerSchema = { type: "object", properties: { status: { type: "string" } }, required: ["status"] };
