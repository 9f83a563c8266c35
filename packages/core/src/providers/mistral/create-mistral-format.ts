import type { HttpProviderAccess } from "../open-http-provider.js";
import type { WireFormat } from "../wire-format.js";
import { createMistralAssembler } from "./assemble-stream.js";
import { fromMistralResponse } from "./from-response.js";
import { toMistralRequest } from "./to-request.js";

export function createMistralFormat({ baseUrl, headers }: HttpProviderAccess, model: string): WireFormat {
  const url = `${baseUrl}/v1/chat/completions`;
  return {
    toRequest: (request) => ({ url, headers, body: toMistralRequest(request, model) }),
    fromResponse: fromMistralResponse,
    stream: { framing: "sse", createAssembler: createMistralAssembler },
  };
}
