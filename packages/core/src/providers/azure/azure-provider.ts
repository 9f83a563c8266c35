import * as z from "zod";
import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success } from "../../result.js";
import { defineProvider, type ModelSettings, type ProviderPorts } from "../define-provider.js";
import { createHttpAdapter } from "../http/create-http-adapter.js";
import { inspectHttp, openHttpProvider, type HttpProviderAccess } from "../open-http-provider.js";
import { httpProviderSettings } from "../provider-settings.js";
import { createOpenaiFormat, openaiApiKey, openaiApiOf, sourceOf } from "../openai-apis/create-openai-format.js";
import { azureModelsUrl, azureUrl, isAzureHost, toAzureEndpoint, type AzureAddress } from "./azure-address.js";

const type = "azure";
const label = "Azure OpenAI";

const keyEnv = "AZURE_OPENAI_API_KEY";
const tokenEnv = "AZURE_OPENAI_AD_TOKEN";
const endpointEnv = "AZURE_OPENAI_ENDPOINT";

const deploymentKey = {
  deployment: z.string().min(1).optional().describe("Name of the deployment; the model's name when left out"),
};

/** OpenAI's models on Azure, through the v1 API or, with a dated `api_version`, the classic one. */
export const azureProvider = defineProvider({
  type,
  label,
  summary: "OpenAI's models on Azure, by the name of their deployment",
  settings: {
    ...httpProviderSettings,
    ...openaiApiKey,
    ...deploymentKey,
    resource: z
      .string()
      .regex(/^[\w-]+$/)
      .optional()
      .describe("Name of the Azure resource, for https://<resource>.openai.azure.com"),
    api_version: z
      .string()
      .regex(/^(?:preview|latest|\d{4}-\d{2}-\d{2}(?:-preview)?)$/)
      .optional()
      .describe("A dated version asks the classic API; the v1 API, which needs none, when left out"),
  },
  modelSettings: { ...openaiApiKey, ...deploymentKey },
  documents: {},
  isDeterministic: () => false,
  inspect(settings, env) {
    const address = addressOf(settings, env);
    const access = accessOf(address, settings, env);
    const inspected = inspectHttp(access, address === null ? null : azureModelsUrl(address), headersOf(access));
    const { apiKeyEnv } = access.identity;
    if (apiKeyEnv !== keyEnv && apiKeyEnv !== tokenEnv) return inspected;
    const keys = [keyEnv, tokenEnv].map((name) => ({ env: name, isSet: valueOf(env, name) !== null }));
    return { ...inspected, keys };
  },
  create(settings, ports) {
    const address = addressOf(settings, ports.env);
    if (address === null) {
      const remedy = `Set resource or base_url of the provider, or ${endpointEnv} in the environment.`;
      return failure(kindlmError("CONFIG_VALIDATION_ERROR", `${label} has no address. ${remedy}`));
    }
    const access = accessOf(address, settings, ports.env);
    const api = openaiApiOf(settings);
    const format = createOpenaiFormat({
      api,
      url: azureUrl(address, api),
      headers: headersOf(access),
      model: address.deployment,
      maxTokensKey: "max_completion_tokens",
      source: sourceOf(settings),
    });
    return success(createHttpAdapter({ access, format }, ports));
  },
});

/** Null when nothing says which resource is meant. */
function addressOf({ own, provider, model }: ModelSettings, env: ProviderPorts["env"]): AzureAddress | null {
  const { base_url: baseUrl, resource, api_version: version } = provider;
  const named = typeof resource === "string" ? `https://${resource}.openai.azure.com` : valueOf(env, endpointEnv);
  const endpoint = typeof baseUrl === "string" ? baseUrl : named;
  if (endpoint === null) return null;
  const deployment = own["deployment"] ?? provider["deployment"];
  return {
    endpoint: toAzureEndpoint(endpoint),
    apiVersion: typeof version === "string" ? version : null,
    deployment: typeof deployment === "string" ? deployment : model,
  };
}

/** Every resource has a host of its own, so that it is the official one when it is Azure's at all. */
function accessOf(
  address: AzureAddress | null,
  settings: ModelSettings,
  env: ProviderPorts["env"],
): HttpProviderAccess {
  const endpoint = address?.endpoint ?? "";
  const officialUrl = address === null || isAzureHost(endpoint) ? endpoint : "https://openai.azure.com";
  // A token of Entra ID wins over a key, as in OpenAI's own libraries, unless the config names a variable.
  const apiKeyEnv = valueOf(env, tokenEnv) === null ? keyEnv : tokenEnv;
  const provider = { ...settings.provider, base_url: endpoint };
  return openHttpProvider({ type, label, baseUrl: officialUrl, apiKeyEnv }, { ...settings, provider }, env);
}

function headersOf({ identity, apiKey, headers }: HttpProviderAccess): Readonly<Record<string, string>> {
  if (apiKey === null) return headers;
  const isToken = identity.apiKeyEnv === tokenEnv;
  return { ...(isToken ? { authorization: `Bearer ${apiKey}` } : { "api-key": apiKey }), ...headers };
}

/** Null for a variable that is unset or empty. */
function valueOf(env: ProviderPorts["env"], name: string): string | null {
  return (env[name]?.trim() ?? "") || null;
}
