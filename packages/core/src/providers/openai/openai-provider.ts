import * as z from "zod";
import { failure, success } from "../../result.js";
import { defineProvider } from "../define-provider.js";
import { missingKey, requestIdOf } from "../http/classify.js";
import { postJson } from "../http/post-json.js";
import { openHttpProvider } from "../open-http-provider.js";
import { httpProviderSettings } from "../provider-settings.js";
import { fromOpenaiResponse } from "./from-response.js";
import { toOpenaiRequest } from "./to-request.js";

const type = "openai";
const label = "OpenAI";

/** Chat completions of OpenAI, and of every server that imitates them (`type: openai` with a `base_url`). */
export const openaiProvider = defineProvider({
  type,
  label,
  summary: "OpenAI's chat completions, and any server that speaks them through base_url",
  settings: {
    ...httpProviderSettings,
    organization: z.string().min(1).optional().describe("Sent as OpenAI-Organization"),
    project: z.string().min(1).optional().describe("Sent as OpenAI-Project"),
  },
  modelSettings: {},
  documents: {},
  isDeterministic: () => false,
  create(settings, ports) {
    const access = openHttpProvider(
      { type, label, baseUrl: "https://api.openai.com/v1", apiKeyEnv: "OPENAI_API_KEY" },
      settings,
      ports.env,
    );
    const { organization, project } = settings.provider;
    const headers: Record<string, string> = {};
    if (access.apiKey !== null) headers["authorization"] = `Bearer ${access.apiKey}`;
    if (typeof organization === "string") headers["openai-organization"] = organization;
    if (typeof project === "string") headers["openai-project"] = project;
    Object.assign(headers, access.headers);
    const url = `${access.baseUrl}/chat/completions`;
    const maxTokensKey = access.isOfficial ? "max_completion_tokens" : "max_tokens";
    return success({
      async complete(request, options) {
        if (access.isKeyMissing) return failure(missingKey(access.identity));
        const body = toOpenaiRequest(request, { model: settings.model, maxTokensKey });
        const post = { url, headers, body, timeouts: request.timeouts };
        const posted = await postJson(access.identity, ports, post, options);
        if (!posted.success) return posted;
        const { json, reply, unusable } = posted.data;
        const answer = fromOpenaiResponse(json, request.origin.turn);
        if (!answer.success) return unusable(answer.error);
        const own = { requestId: requestIdOf(reply.headers), latencyMs: reply.latencyMs };
        return success(Object.assign(answer.data, own));
      },
    });
  },
});
