import { success } from "../../result.js";
import { defineProvider, type ModelSettings, type ProviderPorts } from "../define-provider.js";
import { createHttpAdapter } from "../http/create-http-adapter.js";
import { inspectHttp, openHttpProvider, type HttpProviderAccess } from "../open-http-provider.js";
import { httpProviderSettings } from "../provider-settings.js";
import type { WireFormat } from "../wire-format.js";
import { createMistralAssembler } from "./assemble-stream.js";
import { fromMistralResponse } from "./from-response.js";
import { toMistralRequest } from "./to-request.js";

const type = "mistral";
const label = "Mistral";

/** Chat completions of Mistral. */
export const mistralProvider = defineProvider({
  type,
  label,
  summary: "Mistral's chat completions, and any server that speaks them through base_url",
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
    const url = `${addressOf(access)}/chat/completions`;
    const format: WireFormat = {
      toRequest: (request) => ({ url, headers, body: toMistralRequest(request, settings.model) }),
      fromResponse: fromMistralResponse,
      stream: { framing: "sse", createAssembler: createMistralAssembler },
    };
    return success(createHttpAdapter({ access, format }, ports));
  },
});

function accessOf(settings: ModelSettings, env: ProviderPorts["env"]): HttpProviderAccess {
  const defaults = { type, label, baseUrl: "https://api.mistral.ai", apiKeyEnv: "MISTRAL_API_KEY" };
  return openHttpProvider(defaults, settings, env);
}

/** People write the address with and without the version: the SDK of Mistral wants it without. */
function addressOf({ baseUrl }: HttpProviderAccess): string {
  return `${baseUrl.replace(/\/v1$/, "")}/v1`;
}

function headersOf(access: HttpProviderAccess): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  if (access.apiKey !== null) headers["authorization"] = `Bearer ${access.apiKey}`;
  return Object.assign(headers, access.headers);
}
