import * as z from "../../values/deferred-zod.js";
import { defineHttpProvider } from "../define-http-provider.js";
import { openHttpProvider } from "../open-http-provider.js";
import {
  openaiApiFor,
  openaiApiKey,
  openaiApiOf,
  openaiDialects,
  openaiPaths,
  sourceOf,
} from "../openai-apis/openai-api.js";

const type = "openai";
const label = "OpenAI";

/** OpenAI's two APIs, and every server that imitates one of them (`type: openai` with a `base_url`). */
export const openaiProvider = defineHttpProvider({
  type,
  label,
  summary: "OpenAI's chat completions or Responses API, and any server that speaks one of them through base_url",
  settings: {
    ...openaiApiKey,
    organization: z.string().min(1).optional().describe("Sent as OpenAI-Organization"),
    project: z.string().min(1).optional().describe("Sent as OpenAI-Project"),
  },
  modelSettings: openaiApiKey,
  open(settings, env) {
    const { organization, project } = settings.provider;
    const headers: Record<string, string> = {};
    if (typeof organization === "string") headers["openai-organization"] = organization;
    if (typeof project === "string") headers["openai-project"] = project;
    const defaults = { type, label, baseUrl: "https://api.openai.com/v1", apiKeyEnv: "OPENAI_API_KEY", headers };
    return openHttpProvider(defaults, settings, env);
  },
  probeUrl: ({ baseUrl }) => `${baseUrl}/models`,
  // A server that only speaks its language may have one of the two.
  dialects: ({ isOfficial }, settings) =>
    isOfficial ? Object.values(openaiDialects) : [openaiDialects[openaiApiOf(settings)]],
  async loadFormat({ baseUrl, headers, isOfficial }, settings, dialect) {
    const { createOpenaiFormat } = await import("../openai-apis/openai-format.js");
    const api = openaiApiFor(dialect, settings);
    return createOpenaiFormat({
      api,
      url: `${baseUrl}${openaiPaths[api]}`,
      headers,
      model: settings.model,
      maxTokensKey: isOfficial ? "max_completion_tokens" : "max_tokens",
      source: sourceOf(settings),
    });
  },
  async loadEmbedding({ baseUrl, headers }, { model }) {
    const { createOpenaiEmbedding } = await import("../openai-apis/embedding.js");
    return createOpenaiEmbedding({ url: `${baseUrl}/embeddings`, headers, model });
  },
});
