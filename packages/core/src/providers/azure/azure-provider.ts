import * as z from "../../values/deferred-zod.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { defineHttpProvider } from "../define-http-provider.js";
import type { ModelSettings, ProviderPorts } from "../define-provider.js";
import { keyIn, openHttpProvider, type HttpProviderAccess } from "../open-http-provider.js";
import {
  openaiApiKey,
  openaiApiOf,
  sourceOf,
  openaiPaths,
  type OpenaiApi,
  openaiDialects,
} from "../openai-apis/openai-api.js";

const type = "azure";
const label = "Azure OpenAI";

const apiKeyEnv = "AZURE_OPENAI_API_KEY";
const tokenEnv = "AZURE_OPENAI_AD_TOKEN";
const endpointEnv = "AZURE_OPENAI_ENDPOINT";

const deploymentKey = {
  deployment: z.string().min(1).optional().describe("Name of the deployment; the model's name when left out"),
};

/** OpenAI's models on Azure, through the v1 API or, with a dated `api_version`, the classic one. */
export const azureProvider = defineHttpProvider({
  type,
  label,
  summary: "OpenAI's models on Azure, by the name of their deployment",
  settings: {
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
  open: openAzure,
  probeUrl: ({ address }) => (address.endpoint === "" ? null : azureModelsUrl(address)),
  findProblem({ address }) {
    if (address.endpoint !== "") return null;
    const remedy = `Set resource or base_url of the provider, or ${endpointEnv} in the environment.`;
    return kindlmError("CONFIG_VALIDATION_ERROR", `${label} has no address. ${remedy}`);
  },
  dialects: (_, settings) => [openaiDialects[openaiApiOf(settings)]],
  async loadFormat({ address, headers }, settings) {
    const { createOpenaiFormat } = await import("../openai-apis/openai-format.js");
    const api = openaiApiOf(settings);
    return createOpenaiFormat({
      api,
      url: azureUrl(address, api),
      headers,
      model: address.deployment,
      maxTokensKey: "max_completion_tokens",
      source: sourceOf(settings),
    });
  },
  async loadEmbedding({ address, headers }) {
    const { createOpenaiEmbedding } = await import("../openai-apis/embedding.js");
    const urlOfDeployment = (deployment: string): string => azureUrl({ ...address, deployment }, "embeddings");
    return createOpenaiEmbedding({
      url: urlOfDeployment(address.deployment),
      headers,
      model: address.deployment,
      nativeUrl: ({ model }) => urlOfDeployment(model),
    });
  },
});

/** Dated versions belong to the classic API; `preview` and `latest` are versions of the v1 API. */
const classicVersion = /^\d{4}-\d{2}-\d{2}/;

/** Azure's own servers. Names below `azure.com` that anyone can have are not among them. */
const azureHost = /\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$/;

interface AzureAccess extends HttpProviderAccess {
  /** Its endpoint is empty when nothing says which resource is meant. */
  address: AzureAddress;
}

/** Every resource has its own host. A token of Entra ID wins over a key, as in OpenAI's own libraries. */
function openAzure(settings: ModelSettings, env: ProviderPorts["env"]): AzureAccess {
  const { own, provider, model } = settings;
  const { api_version: version, api_key_env: named, resource } = provider;
  const deployment = own["deployment"] ?? provider["deployment"];
  const usesToken = named === undefined ? keyIn(env, tokenEnv) !== null : named === tokenEnv;
  const access = openHttpProvider(
    {
      type,
      label,
      baseUrl: typeof resource === "string" ? `https://${resource}.openai.azure.com` : (keyIn(env, endpointEnv) ?? ""),
      isOfficial: (url) => url === "" || isAzureHost(url),
      toBaseUrl: toAzureEndpoint,
      apiKeyEnv,
      apiKeyEnvs: [tokenEnv, apiKeyEnv],
      ...(usesToken ? {} : { keyHeader: "api-key" }),
    },
    settings,
    env,
  );
  const address: AzureAddress = {
    endpoint: access.baseUrl,
    apiVersion: typeof version === "string" ? version : null,
    deployment: typeof deployment === "string" ? deployment : model,
  };
  return { ...access, address };
}

/** Where a deployment is asked. */
interface AzureAddress {
  /** Of the resource, without a slash at the end. */
  endpoint: string;
  /** Null for the v1 API without a version. */
  apiVersion: string | null;
  deployment: string;
}

/**
 * The address of a request. The v1 API has OpenAI's paths and takes the deployment as the model; the classic one has
 * the deployment in the path of chat completions and embeddings, and only there.
 * Source: https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle and the AzureOpenAI class of OpenAI's
 * own library.
 */
export function azureUrl(address: AzureAddress, api: OpenaiApi | "embeddings"): string {
  const isDeploymentPath = api !== "responses" && isClassic(address);
  const deployment = isDeploymentPath ? `/deployments/${encodeURIComponent(address.deployment)}` : "";
  return urlOf(address, `${deployment}${api === "embeddings" ? "/embeddings" : openaiPaths[api]}`);
}

/** The list of models, which needs a valid key and costs nothing. */
export function azureModelsUrl(address: AzureAddress): string {
  return urlOf(address, "/models");
}

/** The address of the resource, from any of the forms that Azure shows: with and without `/openai` and `/v1`. */
export function toAzureEndpoint(url: string): string {
  return url.replace(/\/+$/, "").replace(/\/openai(?:\/v1)?$/, "");
}

export function isAzureHost(url: string): boolean {
  return URL.canParse(url) && azureHost.test(new URL(url).hostname);
}

function urlOf(address: AzureAddress, path: string): string {
  const { endpoint, apiVersion } = address;
  const version = isClassic(address) ? "" : "/v1";
  const query = apiVersion === null ? "" : `?api-version=${encodeURIComponent(apiVersion)}`;
  return `${endpoint}/openai${version}${path}${query}`;
}

function isClassic({ apiVersion }: AzureAddress): boolean {
  return apiVersion !== null && classicVersion.test(apiVersion);
}
