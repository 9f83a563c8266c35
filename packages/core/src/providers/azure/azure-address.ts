import type { OpenaiApi } from "../openai-apis/openai-api.js";
import { openaiPaths } from "../openai-apis/openai-api.js";

/** Where a deployment is asked. */
export interface AzureAddress {
  /** Of the resource, without a slash at the end. */
  endpoint: string;
  /** Null for the v1 API without a version. */
  apiVersion: string | null;
  deployment: string;
}

/** Dated versions belong to the classic API; `preview` and `latest` are versions of the v1 API. */
const classicVersion = /^\d{4}-\d{2}-\d{2}/;

/** Azure's own servers. Names below `azure.com` that anyone can have are not among them. */
const azureHost = /\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$/;

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
