import type { ModelSettings, ProviderPorts } from "../define-provider.js";
import { openHttpProvider, type HttpProviderAccess } from "../open-http-provider.js";

export const type = "bedrock";
export const label = "Bedrock";

/** Holds an API key of Bedrock, which is sent as it is. */
export const apiKeyEnv = "AWS_BEARER_TOKEN_BEDROCK";
export const accessKeyEnv = "AWS_ACCESS_KEY_ID";
export const secretKeyEnv = "AWS_SECRET_ACCESS_KEY";
const sessionTokenEnv = "AWS_SESSION_TOKEN";

/** Optional peers: one signs, the other finds credentials. */
export const signerLibrary = "@smithy/signature-v4";
export const searchLibrary = "@aws-sdk/credential-provider-node";

/** What a signature is made with. */
export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** How a request is signed: not at all, with these keys, or with those that AWS's own search finds. */
export type Signing =
  | { kind: "none" }
  | { kind: "keys"; keys: AwsKeys }
  | { kind: "search"; profile: string | undefined };

export interface BedrockAccess extends HttpProviderAccess {
  /** Null when neither the config nor the environment names one. */
  region: string | null;
  signing: Signing;
}

/** Reads the provider's block: the region, where its endpoint is, and what lets a request in. */
export function openBedrock(settings: ModelSettings, env: ProviderPorts["env"]): BedrockAccess {
  const region = regionOf(settings, env);
  const baseUrl = `https://bedrock-runtime.${region ?? "<region>"}.${domainOf(region)}`;
  const isOfficial = (url: string): boolean => url === baseUrl || isAmazon(url);
  const access = openHttpProvider({ type, label, baseUrl, isOfficial, apiKeyEnv }, settings, env);
  const isOwnServer = !access.isOfficial && settings.providerName !== type;
  const hasNamedKey = settings.provider["api_key_env"] !== undefined;
  if (access.apiKey !== null || hasNamedKey || access.hasOwnKeyHeader || isOwnServer) {
    return { ...access, region, signing: { kind: "none" } };
  }
  return { ...access, isKeyMissing: false, region, signing: signingOf(settings, env) };
}

/** The variables of a check of the surroundings; any of them may do. */
export function keysOf({ signing, identity, apiKey }: BedrockAccess): readonly { env: string; isSet: boolean }[] {
  const keys = identity.apiKeyEnv === null ? [] : [{ env: identity.apiKeyEnv, isSet: apiKey !== null }];
  return signing.kind === "none" ? keys : [...keys, { env: accessKeyEnv, isSet: signing.kind === "keys" }];
}

/** A profile that the config names wins over keys in the environment, and these over everything else. */
function signingOf({ provider }: ModelSettings, env: ProviderPorts["env"]): Signing {
  const profile = textOf(provider["profile"]);
  const accessKeyId = textOf(env[accessKeyEnv]);
  const secretAccessKey = textOf(env[secretKeyEnv]);
  if (profile !== null || accessKeyId === null || secretAccessKey === null) {
    return { kind: "search", profile: profile ?? textOf(env["AWS_PROFILE"]) ?? undefined };
  }
  const sessionToken = textOf(env[sessionTokenEnv]);
  return { kind: "keys", keys: { accessKeyId, secretAccessKey, ...(sessionToken === null ? {} : { sessionToken }) } };
}

function regionOf({ provider }: ModelSettings, env: ProviderPorts["env"]): string | null {
  return textOf(provider["region"]) ?? textOf(env["AWS_REGION"]) ?? textOf(env["AWS_DEFAULT_REGION"]);
}

/** China and the European cloud have their own domains; the closed partitions need `base_url`. */
function domainOf(region: string | null): string {
  if (region?.startsWith("cn-") === true) return "amazonaws.com.cn";
  return region?.startsWith("eusc-") === true ? "amazonaws.eu" : "amazonaws.com";
}

/** Private and FIPS endpoints are Amazon's own servers too, whatever the provider is called in the config. */
function isAmazon(url: string): boolean {
  return (
    URL.canParse(url) &&
    /(?:^|\.)(?:amazonaws\.com|amazonaws\.com\.cn|amazonaws\.eu|api\.aws)$/.test(new URL(url).hostname)
  );
}

function textOf(value: unknown): string | null {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? null : text;
}
