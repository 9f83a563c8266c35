import { defineHttpProvider } from "../define-http-provider.js";
import { openHttpProvider } from "../open-http-provider.js";
import { createGeminiAssembler } from "./assemble-stream.js";
import { fromGeminiResponse } from "./from-response.js";
import { toGeminiRequest } from "./to-request.js";

const type = "gemini";
const label = "Gemini";

/** Google's Gemini API (Generative Language). The key goes into a header, never into the address. */
export const geminiProvider = defineHttpProvider({
  type,
  label,
  summary: "Google's Gemini API, and any server that speaks it through base_url",
  open: (settings, env) =>
    openHttpProvider(
      {
        type,
        label,
        baseUrl: "https://generativelanguage.googleapis.com",
        toBaseUrl: withVersion,
        apiKeyEnv: "GEMINI_API_KEY",
        // Both names are usual; the one that stands for this API alone goes first.
        apiKeyEnvs: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        keyHeader: "x-goog-api-key",
      },
      settings,
      env,
    ),
  probeUrl: ({ baseUrl }) => `${baseUrl}/models`,
  createFormat({ baseUrl, headers }, { model }) {
    const address = `${baseUrl}/${pathOf(model)}`;
    const url = `${address}:generateContent`;
    const streamUrl = `${address}:streamGenerateContent?alt=sse`;
    return {
      toRequest: (request) => ({
        url: request.stream === true ? streamUrl : url,
        headers,
        body: toGeminiRequest(request, model),
      }),
      fromResponse: fromGeminiResponse,
      stream: { framing: "sse", createAssembler: createGeminiAssembler },
    };
  },
  async loadEmbedding({ baseUrl, headers }, { model }) {
    const { createGeminiEmbedding } = await import("./embedding.js");
    const url = `${baseUrl}/${pathOf(model)}:batchEmbedContents`;
    return createGeminiEmbedding({ url, headers, model: resourceOf(model) });
  },
});

/** Thinking and JSON Schema are in the beta version of the API; another one can be part of `base_url`. */
function withVersion(url: string): string {
  return /\/v\d+(?:alpha|beta)?$/.test(url) ? url : `${url}/v1beta`;
}

/** Models are resources: `gemini-3-flash` stands for `models/gemini-3-flash`. */
function resourceOf(model: string): string {
  return /^(?:models|tunedModels)\//.test(model) ? model : `models/${model}`;
}

function pathOf(model: string): string {
  return resourceOf(model).split("/").map(encodeURIComponent).join("/");
}
