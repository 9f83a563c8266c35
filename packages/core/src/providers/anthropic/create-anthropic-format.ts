import type { HttpProviderAccess } from "../open-http-provider.js";
import type { ModelParams } from "../provider.js";
import type { WireFormat } from "../wire-format.js";
import { AnthropicAssembler } from "./assemble-stream.js";
import { fromAnthropicResponse } from "./from-response.js";
import { toAnthropicRequest } from "./to-request.js";
import { apiVersion, versionHeader } from "./version-header.js";

/** The last version of the API that takes `temperature` and `top_p`; later ones refuse a request that has them. */
const samplingApiVersion = "2023-06-01";

export function createAnthropicFormat({ baseUrl, headers }: HttpProviderAccess, model: string): WireFormat {
  const url = `${baseUrl}/v1/messages`;
  const isVersionOwn = headers[versionHeader] !== apiVersion;
  const samplingHeaders = isVersionOwn ? headers : { ...headers, [versionHeader]: samplingApiVersion };
  return {
    toRequest: (request) => ({
      url,
      headers: hasSampling(request.params) ? samplingHeaders : headers,
      body: toAnthropicRequest(request, model),
    }),
    fromResponse: fromAnthropicResponse,
    stream: { framing: "sse", createAssembler: () => new AnthropicAssembler() },
  };
}

function hasSampling({ temperature, top_p: topP, extra_body: extra = {} }: ModelParams): boolean {
  return (
    temperature !== undefined || topP !== undefined || ["temperature", "top_p", "top_k"].some((key) => key in extra)
  );
}
