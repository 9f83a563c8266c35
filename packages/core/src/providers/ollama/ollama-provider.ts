import { defineHttpProvider } from "../define-http-provider.js";
import { openHttpProvider } from "../open-http-provider.js";
import { ollamaAddress } from "./ollama-address.js";

const type = "ollama";
const label = "Ollama";

/** Ollama's own chat API, of a server on this machine or elsewhere. */
export const ollamaProvider = defineHttpProvider({
  type,
  label,
  summary: "Models that Ollama runs, on this machine, on another or at ollama.com",
  open: (settings, env) =>
    openHttpProvider(
      {
        type,
        label,
        baseUrl: ollamaAddress(env["OLLAMA_HOST"]),
        isOfficial: (url) => URL.canParse(url) && new URL(url).host === "ollama.com",
        // People write the address as that of this API, and as that of the one which imitates OpenAI's.
        toBaseUrl: (url) => url.replace(/\/(?:api|v1)$/, ""),
        apiKeyEnv: "OLLAMA_API_KEY",
        // A server of one's own needs no key; the one at ollama.com does.
        isKeyForOwnServers: false,
      },
      settings,
      env,
    ),
  probeUrl: ({ baseUrl }) => `${baseUrl}/api/tags`,
  async loadFormat(access, { model }) {
    const { createOllamaFormat } = await import("./create-ollama-format.js");
    return createOllamaFormat(access, model);
  },
  async loadEmbedding({ baseUrl, headers }, { model }) {
    const { createOllamaEmbedding } = await import("./embedding.js");
    return createOllamaEmbedding({ url: `${baseUrl}/api/embed`, headers, model });
  },
});
