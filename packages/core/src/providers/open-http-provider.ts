import type { ModelSettings, ProviderAccess, ProviderPorts } from "./define-provider.js";
import { providerNameOf, type ProviderIdentity } from "./http/provider-identity.js";
import { isRecord } from "../values/json.js";

/** Where an HTTP provider is, and how to get in. */
export interface HttpProviderAccess {
  identity: ProviderIdentity;
  /** Without a slash at the end. */
  baseUrl: string;
  /** True for the provider's own servers, false for others that speak its language. */
  isOfficial: boolean;
  /** Null when none is needed. */
  apiKey: string | null;
  /** True when a key is needed and the environment has none: no request can work. */
  isKeyMissing: boolean;
  /** Of the config, in lower case. */
  headers: Readonly<Record<string, string>>;
}

/** What distinguishes one HTTP provider from another. */
export interface HttpProviderDefaults {
  type: string;
  label: string;
  baseUrl: string;
  apiKeyEnv: string;
}

/**
 * Reads the provider's block. The usual key goes to the official servers, and to the server that the config puts in
 * their place under the same name (a gateway, say), which may do without one. A server under a name of its own gets a
 * key when the config names one with `api_key_env`, and none otherwise: no key reaches a server it was not meant for.
 */
export function openHttpProvider(
  defaults: HttpProviderDefaults,
  settings: ModelSettings,
  env: ProviderPorts["env"],
): HttpProviderAccess {
  const baseUrl = (textOf(settings.provider["base_url"]) ?? defaults.baseUrl).replace(/\/+$/, "");
  const isOfficial = hostOf(baseUrl) === hostOf(defaults.baseUrl);
  const named = textOf(settings.provider["api_key_env"]);
  const takesUsualKey = isOfficial || settings.providerName === defaults.type;
  const apiKeyEnv = named ?? (takesUsualKey ? defaults.apiKeyEnv : null);
  // A key pasted into a file often ends with a line feed, which no header can carry.
  const apiKey = apiKeyEnv === null ? null : (env[apiKeyEnv]?.trim() ?? "") || null;
  return {
    identity: { name: providerNameOf(defaults, settings.providerName), model: settings.model, apiKeyEnv },
    baseUrl,
    isOfficial,
    apiKey,
    isKeyMissing: apiKey === null && (named !== null || isOfficial),
    headers: headersOf(settings.provider["headers"]),
  };
}

/** What a check of the surroundings needs to know. `probeUrl` is null where the API has no cheap GET. */
export function inspectHttp(
  { baseUrl, identity, apiKey, isKeyMissing }: HttpProviderAccess,
  probeUrl: string | null,
  headers: Readonly<Record<string, string>>,
): ProviderAccess {
  return {
    baseUrl,
    keys: identity.apiKeyEnv === null ? [] : [{ env: identity.apiKeyEnv, isSet: apiKey !== null }],
    isKeyNeeded: isKeyMissing || apiKey !== null,
    probe: probeUrl === null ? null : { url: probeUrl, headers },
  };
}

function headersOf(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name.toLowerCase(), String(text)]));
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
