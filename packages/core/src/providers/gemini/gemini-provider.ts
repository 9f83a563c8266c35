import { success } from "../../result.js";
import { defineProvider, type ModelSettings, type ProviderPorts } from "../define-provider.js";
import { createHttpAdapter } from "../http/create-http-adapter.js";
import { inspectHttp, openHttpProvider, type HttpProviderAccess } from "../open-http-provider.js";
import { httpProviderSettings } from "../provider-settings.js";
import type { WireFormat } from "../wire-format.js";
import { createGeminiAssembler } from "./assemble-stream.js";
import { fromGeminiResponse } from "./from-response.js";
import { toGeminiRequest } from "./to-request.js";

const type = "gemini";
const label = "Gemini";

/** Google's Gemini API (Generative Language). The key goes into a header, never into the address. */
export const geminiProvider = defineProvider({
  type,
  label,
  summary: "Google's Gemini API, and any server that speaks it through base_url",
  settings: httpProviderSettings,
  modelSettings: {},
  documents: {},
  isDeterministic: () => false,
  inspect: (settings, env) => {
    const access = accessOf(settings, env);
    return inspectHttp(access, `${addressOf(access)}/models`, headersOf(access));
  },
  create(settings, ports) {
    const access = accessOf(settings, ports.env);
    const headers = headersOf(access);
    const model = `${addressOf(access)}/${pathOf(settings.model)}`;
    const url = `${model}:generateContent`;
    const streamUrl = `${model}:streamGenerateContent?alt=sse`;
    const format: WireFormat = {
      toRequest: (request) => ({
        url: request.stream === true ? streamUrl : url,
        headers,
        body: toGeminiRequest(request, settings.model),
      }),
      fromResponse: fromGeminiResponse,
      stream: { framing: "sse", createAssembler: createGeminiAssembler },
    };
    return success(createHttpAdapter({ access, format }, ports));
  },
});

/** Both names of the key are usual; the one that stands for this API alone goes first. */
function accessOf(settings: ModelSettings, env: ProviderPorts["env"]): HttpProviderAccess {
  const baseUrl = "https://generativelanguage.googleapis.com";
  return openHttpProvider(
    { type, label, baseUrl, apiKeyEnv: "GEMINI_API_KEY", otherApiKeyEnvs: ["GOOGLE_API_KEY"] },
    settings,
    env,
  );
}

/** Thinking and JSON Schema are in the beta version of the API; another one can be part of `base_url`. */
function addressOf({ baseUrl }: HttpProviderAccess): string {
  return /\/v\d+(?:alpha|beta)?$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1beta`;
}

/** Models are resources: `gemini-3-flash` stands for `models/gemini-3-flash`. */
function pathOf(model: string): string {
  const name = /^(?:models|tunedModels)\//.test(model) ? model : `models/${model}`;
  return name.split("/").map(encodeURIComponent).join("/");
}

function headersOf(access: HttpProviderAccess): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  if (access.apiKey !== null) headers["x-goog-api-key"] = access.apiKey;
  return { ...headers, ...access.headers };
}
