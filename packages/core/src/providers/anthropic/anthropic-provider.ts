import { success } from "../../result.js";
import { defineProvider, type ModelSettings, type ProviderPorts } from "../define-provider.js";
import { createHttpAdapter } from "../http/create-http-adapter.js";
import { inspectHttp, openHttpProvider, type HttpProviderAccess } from "../open-http-provider.js";
import type { ModelParams } from "../provider.js";
import { httpProviderSettings } from "../provider-settings.js";
import type { WireFormat } from "../wire-format.js";
import { createAnthropicAssembler } from "./assemble-stream.js";
import { fromAnthropicResponse } from "./from-response.js";
import { toAnthropicRequest } from "./to-request.js";

const type = "anthropic";
const label = "Anthropic";

const apiVersion = "2026-10-21";

/** The last version of the API that takes `temperature` and `top_p`; later ones refuse a request that has them. */
const samplingApiVersion = "2023-06-01";

/** Anthropic's Messages API. */
export const anthropicProvider = defineProvider({
  type,
  label,
  summary: "Anthropic's Messages API, and any server that speaks it through base_url",
  settings: httpProviderSettings,
  modelSettings: {},
  documents: {},
  isDeterministic: () => false,
  inspect: (settings, env) => {
    const access = accessOf(settings, env);
    return inspectHttp(access, `${addressOf(access)}/v1/models?limit=1000`, headersOf(access, apiVersion));
  },
  create(settings, ports) {
    const access = accessOf(settings, ports.env);
    const headers = headersOf(access, apiVersion);
    const samplingHeaders = headersOf(access, samplingApiVersion);
    const url = `${addressOf(access)}/v1/messages`;
    const format: WireFormat = {
      toRequest: (request) => ({
        url,
        headers: hasSampling(request.params) ? samplingHeaders : headers,
        body: toAnthropicRequest(request, settings.model),
      }),
      fromResponse: fromAnthropicResponse,
      stream: { framing: "sse", createAssembler: createAnthropicAssembler },
    };
    return success(createHttpAdapter({ access, format }, ports));
  },
});

function accessOf(settings: ModelSettings, env: ProviderPorts["env"]): HttpProviderAccess {
  return openHttpProvider(
    { type, label, baseUrl: "https://api.anthropic.com", apiKeyEnv: "ANTHROPIC_API_KEY" },
    settings,
    env,
  );
}

/** People write the address with and without the version, since other providers want it. */
function addressOf({ baseUrl }: HttpProviderAccess): string {
  return baseUrl.replace(/\/v1$/, "");
}

function headersOf(access: HttpProviderAccess, version: string): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { "anthropic-version": version };
  if (access.apiKey !== null) headers["x-api-key"] = access.apiKey;
  return { ...headers, ...access.headers };
}

function hasSampling({ temperature, top_p: topP, extra_body: extra = {} }: ModelParams): boolean {
  return (
    temperature !== undefined || topP !== undefined || ["temperature", "top_p", "top_k"].some((key) => key in extra)
  );
}
