import { failure, success } from "../../result.js";
import { defineProvider } from "../define-provider.js";
import { missingKey, requestIdOf } from "../http/classify.js";
import { postJson } from "../http/post-json.js";
import { openHttpProvider } from "../open-http-provider.js";
import type { ModelParams } from "../provider.js";
import { httpProviderSettings } from "../provider-settings.js";
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
  create(settings, ports) {
    const access = openHttpProvider(
      { type, label, baseUrl: "https://api.anthropic.com", apiKeyEnv: "ANTHROPIC_API_KEY" },
      settings,
      ports.env,
    );
    const headersFor = (version: string): Readonly<Record<string, string>> => {
      const own: Record<string, string> = { "anthropic-version": version };
      if (access.apiKey !== null) own["x-api-key"] = access.apiKey;
      return { ...own, ...access.headers };
    };
    const headers = headersFor(apiVersion);
    const samplingHeaders = headersFor(samplingApiVersion);
    // People write the address with and without the version, since other providers want it.
    const url = `${access.baseUrl.replace(/\/v1$/, "")}/v1/messages`;
    return success({
      async complete(request, options) {
        if (access.isKeyMissing) return failure(missingKey(access.identity));
        const post = {
          url,
          headers: hasSampling(request.params) ? samplingHeaders : headers,
          body: toAnthropicRequest(request, settings.model),
          timeouts: request.timeouts,
        };
        const posted = await postJson(access.identity, ports, post, options);
        if (!posted.success) return posted;
        const { json, reply, unusable } = posted.data;
        const answer = fromAnthropicResponse(json);
        if (!answer.success) return unusable(answer.error);
        return success({ ...answer.data, requestId: requestIdOf(reply.headers), latencyMs: reply.latencyMs });
      },
    });
  },
});

function hasSampling({ temperature, top_p: topP, extra_body: extra = {} }: ModelParams): boolean {
  return (
    temperature !== undefined || topP !== undefined || ["temperature", "top_p", "top_k"].some((key) => key in extra)
  );
}
