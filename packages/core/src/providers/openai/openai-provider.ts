import * as z from "zod";
import { success } from "../../result.js";
import { defineProvider, type ModelSettings, type ProviderPorts } from "../define-provider.js";
import { createHttpAdapter } from "../http/create-http-adapter.js";
import { inspectHttp, openHttpProvider, type HttpProviderAccess } from "../open-http-provider.js";
import { httpProviderSettings } from "../provider-settings.js";
import {
  createOpenaiFormat,
  openaiApiKey,
  openaiApiOf,
  openaiPaths,
  sourceOf,
} from "../openai-apis/create-openai-format.js";

const type = "openai";
const label = "OpenAI";

/** OpenAI's two APIs, and every server that imitates one of them (`type: openai` with a `base_url`). */
export const openaiProvider = defineProvider({
  type,
  label,
  summary: "OpenAI's chat completions or Responses API, and any server that speaks one of them through base_url",
  settings: {
    ...httpProviderSettings,
    ...openaiApiKey,
    organization: z.string().min(1).optional().describe("Sent as OpenAI-Organization"),
    project: z.string().min(1).optional().describe("Sent as OpenAI-Project"),
  },
  modelSettings: openaiApiKey,
  documents: {},
  isDeterministic: () => false,
  inspect: (settings, env) => {
    const access = accessOf(settings, env);
    return inspectHttp(access, `${access.baseUrl}/models`, headersOf(access, settings));
  },
  create(settings, ports) {
    const access = accessOf(settings, ports.env);
    const api = openaiApiOf(settings);
    const format = createOpenaiFormat({
      api,
      url: `${access.baseUrl}${openaiPaths[api]}`,
      headers: headersOf(access, settings),
      model: settings.model,
      maxTokensKey: access.isOfficial ? "max_completion_tokens" : "max_tokens",
      source: sourceOf(settings),
    });
    return success(createHttpAdapter({ access, format }, ports));
  },
});

function accessOf(settings: ModelSettings, env: ProviderPorts["env"]): HttpProviderAccess {
  return openHttpProvider(
    { type, label, baseUrl: "https://api.openai.com/v1", apiKeyEnv: "OPENAI_API_KEY" },
    settings,
    env,
  );
}

function headersOf(access: HttpProviderAccess, settings: ModelSettings): Readonly<Record<string, string>> {
  const { organization, project } = settings.provider;
  const headers: Record<string, string> = {};
  if (access.apiKey !== null) headers["authorization"] = `Bearer ${access.apiKey}`;
  if (typeof organization === "string") headers["openai-organization"] = organization;
  if (typeof project === "string") headers["openai-project"] = project;
  return Object.assign(headers, access.headers);
}
