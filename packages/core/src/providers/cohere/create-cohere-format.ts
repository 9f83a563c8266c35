import type { HttpProviderAccess } from "../open-http-provider.js";
import type { WireFormat } from "../wire-format.js";
import { CohereAssembler } from "./assemble-stream.js";
import { fromCohereResponse } from "./from-response.js";
import { toCohereRequest } from "./to-request.js";

export function createCohereFormat({ baseUrl, headers }: HttpProviderAccess, model: string): WireFormat {
  const url = `${baseUrl}/v2/chat`;
  return {
    toRequest: (request) => ({ url, headers, body: toCohereRequest(request, model) }),
    fromResponse: fromCohereResponse,
    stream: { framing: "sse", createAssembler: () => new CohereAssembler() },
  };
}
