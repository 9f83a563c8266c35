import * as z from "../../values/deferred-zod.js";
import { failure, success } from "../../result.js";
import { createChatAssembler } from "../chat-completions/assemble-stream.js";
import { fromChatResponse } from "../chat-completions/from-response.js";
import type { ModelSettings } from "../define-provider.js";
import type { WireFormat } from "../wire-format.js";
import { filteredAnswer, isFiltered, isFilterReply } from "./filtered-answer.js";
import { createResponsesAssembler } from "./responses/assemble-stream.js";
import { fromResponsesReply } from "./responses/from-response.js";
import { toResponsesRequest } from "./responses/to-request.js";
import { toldFailure } from "./told-failure.js";
import { toOpenaiRequest, type OpenaiRequestOptions } from "./to-request.js";

/** The two APIs that answer a conversation. */
export type OpenaiApi = "chat" | "responses";

/** The key that chooses between them, in a provider's block and in a model of it. */
export const openaiApiKey = {
  api: z
    .enum(["chat", "responses"])
    .optional()
    .describe("Which API answers: chat completions (chat, when left out) or the Responses API (responses)"),
};

/** The API that a model is asked through; the model's own key wins over its provider's. */
export function openaiApiOf({ own, provider }: Pick<ModelSettings, "own" | "provider">): OpenaiApi {
  return (own["api"] ?? provider["api"]) === "responses" ? "responses" : "chat";
}

/** The end of each API's address. */
export const openaiPaths = { chat: "/chat/completions", responses: "/responses" } as const;

export interface OpenaiFormatOptions extends OpenaiRequestOptions {
  api: OpenaiApi;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Account and model whose encrypted reasoning may go back to them. */
  source: string;
}

/** The language of OpenAI, which Azure and many servers speak as well. */
export function createOpenaiFormat({ api, url, headers, source, ...options }: OpenaiFormatOptions): WireFormat {
  const isChat = api === "chat";
  const { model } = options;
  return {
    toRequest: (request) => ({
      url,
      headers,
      body: isChat ? toOpenaiRequest(request, options) : toResponsesRequest(request, { model, source }),
    }),
    fromResponse(json, turn) {
      if (isFiltered(json)) return success(filteredAnswer(json));
      if (!isChat) return fromResponsesReply(json, turn, source);
      const told = toldFailure(json);
      return told === null ? fromChatResponse(json, turn) : failure(told);
    },
    isAnswer: isFilterReply,
    stream: { framing: "sse", createAssembler: isChat ? () => createChatAssembler() : createResponsesAssembler },
  };
}

/** Names the account by the provider's name in the config, since each entry has one address and one key. */
export function sourceOf({ providerName, model }: Pick<ModelSettings, "providerName" | "model">): string {
  return `${providerName}:${model}`;
}
