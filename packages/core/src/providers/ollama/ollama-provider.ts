import { defineHttpProvider } from "../define-http-provider.js";
import { openHttpProvider } from "../open-http-provider.js";

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
    const { createOllamaFormat } = await import("./ollama-format.js");
    return createOllamaFormat(access, model);
  },
  async loadEmbedding(access, { model }) {
    const { createOllamaEmbedding } = await import("./ollama-format.js");
    return createOllamaEmbedding(access, model);
  },
});

const defaultPort = "11434";

/**
 * The address that `OLLAMA_HOST` stands for, as the tools of Ollama read it: host, port and scheme may each be left
 * out (`gpu-box`, `:8080`, `https://ollama.example`), and an address to listen on means this machine. Text that is no
 * address stays as it is.
 */
export function ollamaAddress(host: string | undefined): string {
  const text = (host ?? "").trim().replaceAll(/^["']+|["']+$/g, "");
  if (text === "ollama.com") return "https://ollama.com";
  const [, scheme, rest = ""] = /^(?:([a-z][a-z\d+.-]*):\/\/)?(.*)$/i.exec(text) ?? [];
  const [authority = "", ...path] = rest.split("/");
  const url = `${scheme ?? "http"}://${withHost(authority, scheme === undefined)}/${path.join("/")}`;
  return URL.canParse(url) ? new URL(url).href.replace(/\/+$/, "") : text;
}

/** An explicit scheme brings its own port. */
function withHost(authority: string, needsPort: boolean): string {
  const isBareIpv6 = !authority.startsWith("[") && authority.split(":").length > 2;
  const [, name = "", port] = isBareIpv6
    ? [authority, `[${authority}]`]
    : (/^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(authority) ?? [authority, authority]);
  const known = name === "" || name === "0.0.0.0" ? "127.0.0.1" : name === "[::]" ? "[::1]" : name;
  const ending = port ?? (needsPort ? defaultPort : "");
  return ending === "" ? known : `${known}:${ending}`;
}
