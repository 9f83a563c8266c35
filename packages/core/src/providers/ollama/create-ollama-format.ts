import type { HttpProviderAccess } from "../open-http-provider.js";
import type { WireFormat } from "../wire-format.js";
import { createOllamaAssembler } from "./assemble-stream.js";
import { fromOllamaResponse } from "./from-response.js";
import { toOllamaRequest } from "./to-request.js";

export function createOllamaFormat({ baseUrl, headers }: HttpProviderAccess, model: string): WireFormat {
  const url = `${baseUrl}/api/chat`;
  return {
    toRequest: (request) => ({ url, headers, body: toOllamaRequest(request, model) }),
    fromResponse: fromOllamaResponse,
    stream: { framing: "ndjson", createAssembler: createOllamaAssembler },
    takesImageUrls: false,
  };
}
