import { defineHttpProvider } from "../define-http-provider.js";
import { openHttpProvider } from "../open-http-provider.js";

const type = "mistral";
const label = "Mistral";

/** Chat completions of Mistral. */
export const mistralProvider = defineHttpProvider({
  type,
  label,
  summary: "Mistral's chat completions, and any server that speaks them through base_url",
  open: (settings, env) =>
    openHttpProvider(
      {
        type,
        label,
        baseUrl: "https://api.mistral.ai",
        // People write the address with and without the version: Mistral's own library wants it without.
        toBaseUrl: (url) => url.replace(/\/v1$/, ""),
        apiKeyEnv: "MISTRAL_API_KEY",
      },
      settings,
      env,
    ),
  probeUrl: ({ baseUrl }) => `${baseUrl}/v1/models`,
  async loadFormat(access, { model }) {
    const { createMistralFormat } = await import("./mistral-format.js");
    return createMistralFormat(access, model);
  },
  async loadEmbedding({ baseUrl, headers }, { model }) {
    const { createOpenaiEmbedding } = await import("../openai-apis/embedding.js");
    return createOpenaiEmbedding({ url: `${baseUrl}/v1/embeddings`, headers, model });
  },
});
