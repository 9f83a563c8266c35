import { failure, success } from "../../result.js";
import { createChatAssembler } from "../chat-completions/assemble-stream.js";
import { fromChatResponse } from "../chat-completions/from-response.js";
import type { WireFormat } from "../wire-format.js";
import type { OpenaiApi } from "./openai-api.js";
import { filteredAnswer, isFiltered, isFilterReply } from "./filtered-answer.js";
import { createResponsesAssembler } from "./responses/assemble-stream.js";
import { fromResponsesReply } from "./responses/from-response.js";
import { toResponsesRequest } from "./responses/to-request.js";
import { inBandError } from "./in-band-error.js";
import { toOpenaiRequest, type OpenaiRequestOptions } from "./to-request.js";

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
      const told = inBandError(json);
      return told === null ? fromChatResponse(json, turn) : failure(told);
    },
    isAnswer: isFilterReply,
    stream: { framing: "sse", createAssembler: isChat ? () => createChatAssembler() : createResponsesAssembler },
  };
}
