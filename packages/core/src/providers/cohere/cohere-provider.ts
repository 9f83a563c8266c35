import { success } from "../../result.js";
import { defineProvider, type ModelSettings, type ProviderPorts } from "../define-provider.js";
import { createHttpAdapter } from "../http/create-http-adapter.js";
import { inspectHttp, openHttpProvider, type HttpProviderAccess } from "../open-http-provider.js";
import { httpProviderSettings } from "../provider-settings.js";
import type { WireFormat } from "../wire-format.js";
import { createCohereAssembler } from "./assemble-stream.js";
import { fromCohereResponse } from "./from-response.js";
import { toCohereRequest } from "./to-request.js";

const type = "cohere";
const label = "Cohere";

/** Version 2 of Cohere's Chat API. */
export const cohereProvider = defineProvider({
  type,
  label,
  summary: "Cohere's Chat API (v2), and any server that speaks it through base_url",
  settings: httpProviderSettings,
  modelSettings: {},
  documents: {},
  isDeterministic: () => false,
  inspect: (settings, env) => {
    const access = accessOf(settings, env);
    return inspectHttp(access, `${addressOf(access)}/v1/models`, headersOf(access));
  },
  create(settings, ports) {
    const access = accessOf(settings, ports.env);
    const headers = headersOf(access);
    const url = `${addressOf(access)}/v2/chat`;
    const format: WireFormat = {
      toRequest: (request) => ({ url, headers, body: toCohereRequest(request, settings.model) }),
      fromResponse: fromCohereResponse,
      stream: { framing: "sse", createAssembler: createCohereAssembler },
    };
    return success(createHttpAdapter({ access, format }, ports));
  },
});

/** Cohere's own libraries read the first name; many other tools and much of the documentation use the second. */
function accessOf(settings: ModelSettings, env: ProviderPorts["env"]): HttpProviderAccess {
  return openHttpProvider(
    {
      type,
      label,
      baseUrl: "https://api.cohere.com",
      apiKeyEnv: "CO_API_KEY",
      otherApiKeyEnvs: ["COHERE_API_KEY"],
    },
    settings,
    env,
  );
}

/** People write the address with and without the version, since other providers want it. */
function addressOf({ baseUrl }: HttpProviderAccess): string {
  return baseUrl.replace(/\/v[12]$/, "");
}

function headersOf(access: HttpProviderAccess): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  if (access.apiKey !== null) headers["authorization"] = `Bearer ${access.apiKey}`;
  return { ...headers, ...access.headers };
}
