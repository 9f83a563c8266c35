import { defineHttpProvider } from "../define-http-provider.js";
import { openHttpProvider } from "../open-http-provider.js";
import type { ModelParams } from "../provider.js";
import { createAnthropicAssembler } from "./assemble-stream.js";
import { fromAnthropicResponse } from "./from-response.js";
import { toAnthropicRequest } from "./to-request.js";

const type = "anthropic";
const label = "Anthropic";

const versionHeader = "anthropic-version";
const apiVersion = "2026-10-21";

/** The last version of the API that takes `temperature` and `top_p`; later ones refuse a request that has them. */
const samplingApiVersion = "2023-06-01";

/** Anthropic's Messages API. */
export const anthropicProvider = defineHttpProvider({
  type,
  label,
  summary: "Anthropic's Messages API, and any server that speaks it through base_url",
  open: (settings, env) =>
    openHttpProvider(
      {
        type,
        label,
        baseUrl: "https://api.anthropic.com",
        // People write the address with and without the version, since other providers want it.
        toBaseUrl: (url) => url.replace(/\/v1$/, ""),
        apiKeyEnv: "ANTHROPIC_API_KEY",
        keyHeader: "x-api-key",
        headers: { [versionHeader]: apiVersion },
      },
      settings,
      env,
    ),
  probeUrl: ({ baseUrl }) => `${baseUrl}/v1/models?limit=1000`,
  createFormat({ baseUrl, headers }, { model }) {
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
      stream: { framing: "sse", createAssembler: createAnthropicAssembler },
    };
  },
});

function hasSampling({ temperature, top_p: topP, extra_body: extra = {} }: ModelParams): boolean {
  return (
    temperature !== undefined || topP !== undefined || ["temperature", "top_p", "top_k"].some((key) => key in extra)
  );
}
