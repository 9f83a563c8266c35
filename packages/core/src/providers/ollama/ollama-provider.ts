import { success } from "../../result.js";
import { defineProvider, type ModelSettings, type ProviderPorts } from "../define-provider.js";
import { createHttpAdapter } from "../http/create-http-adapter.js";
import { refuseImageUrls } from "../http/refuse-image-urls.js";
import { inspectHttp, openHttpProvider, type HttpProviderAccess } from "../open-http-provider.js";
import { httpProviderSettings } from "../provider-settings.js";
import type { WireFormat } from "../wire-format.js";
import { createOllamaAssembler } from "./assemble-stream.js";
import { fromOllamaResponse } from "./from-response.js";
import { ollamaAddress } from "./ollama-address.js";
import { toOllamaRequest } from "./to-request.js";

const type = "ollama";
const label = "Ollama";

/** Ollama's own chat API, of a server on this machine or elsewhere. */
export const ollamaProvider = defineProvider({
  type,
  label,
  summary: "Models that Ollama runs, on this machine, on another or at ollama.com",
  settings: httpProviderSettings,
  modelSettings: {},
  documents: {},
  isDeterministic: () => false,
  inspect: (settings, env) => {
    const access = accessOf(settings, env);
    return inspectHttp(access, `${access.baseUrl}/api/tags`, headersOf(access));
  },
  create(settings, ports) {
    const access = accessOf(settings, ports.env);
    const headers = headersOf(access);
    const url = `${access.baseUrl}/api/chat`;
    const format: WireFormat = {
      toRequest: (request) => ({ url, headers, body: toOllamaRequest(request, settings.model) }),
      fromResponse: fromOllamaResponse,
      stream: { framing: "ndjson", createAssembler: createOllamaAssembler },
    };
    return success(refuseImageUrls(access.identity, createHttpAdapter({ access, format }, ports)));
  },
});

/**
 * A server of one's own needs no key and gets none that the config does not name; the one at ollama.com needs it. The
 * address is that of the config, else `OLLAMA_HOST`, else the usual port of this machine.
 */
function accessOf(settings: ModelSettings, env: ProviderPorts["env"]): HttpProviderAccess {
  const provider = { ...settings.provider };
  provider["base_url"] ??= ollamaAddress(env["OLLAMA_HOST"]);
  const defaults = { type, label, baseUrl: "https://ollama.com", apiKeyEnv: "OLLAMA_API_KEY" };
  const access = openHttpProvider(defaults, { ...settings, provider }, env);
  if (access.isOfficial || provider["api_key_env"] !== undefined) return access;
  return { ...access, apiKey: null, keys: [], identity: { ...access.identity, apiKeyEnv: null } };
}

function headersOf(access: HttpProviderAccess): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  if (access.apiKey !== null) headers["authorization"] = `Bearer ${access.apiKey}`;
  return Object.assign(headers, access.headers);
}
