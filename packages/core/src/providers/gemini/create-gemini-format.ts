import type { HttpProviderAccess } from "../open-http-provider.js";
import type { WireFormat } from "../wire-format.js";
import { createGeminiAssembler } from "./assemble-stream.js";
import { fromGeminiResponse } from "./from-response.js";
import { geminiPathOf } from "./model-resource.js";
import { toGeminiRequest } from "./to-request.js";

export function createGeminiFormat({ baseUrl, headers }: HttpProviderAccess, model: string): WireFormat {
  const address = `${baseUrl}/${geminiPathOf(model)}`;
  const url = `${address}:generateContent`;
  const streamUrl = `${address}:streamGenerateContent?alt=sse`;
  return {
    toRequest: (request) => ({
      url: request.stream === true ? streamUrl : url,
      headers,
      body: toGeminiRequest(request, model),
    }),
    fromResponse: fromGeminiResponse,
    stream: { framing: "sse", createAssembler: createGeminiAssembler },
  };
}
