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
  /** The variables that the key is looked for in; the first that is set holds it. */
  keys: ProviderAccess["keys"];
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
  /** Further usual names of the key's variable, looked at in this order when that one is not set. */
  otherApiKeyEnvs?: readonly string[];
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
  const usual = takesUsualKey ? [defaults.apiKeyEnv, ...(defaults.otherApiKeyEnvs ?? [])] : [];
  const keyEnvs = named === null ? usual : [named];
  const apiKeyEnv = keyEnvs.find((name) => keyIn(env, name) !== null) ?? keyEnvs[0] ?? null;
  const apiKey = apiKeyEnv === null ? null : keyIn(env, apiKeyEnv);
  return {
    identity: { name: providerNameOf(defaults, settings.providerName), model: settings.model, apiKeyEnv },
    baseUrl,
    isOfficial,
    apiKey,
    keys: keyEnvs.map((name) => ({ env: name, isSet: keyIn(env, name) !== null })),
    isKeyMissing: apiKey === null && (named !== null || isOfficial),
    headers: headersOf(settings.provider["headers"]),
  };
}

/** What a check of the surroundings needs to know. `probeUrl` is null where the API has no cheap GET. */
export function inspectHttp(
  { baseUrl, keys, apiKey, isKeyMissing }: HttpProviderAccess,
  probeUrl: string | null,
  headers: Readonly<Record<string, string>>,
): ProviderAccess {
  return {
    baseUrl,
    keys,
    isKeyNeeded: isKeyMissing || apiKey !== null,
    probe: probeUrl === null ? null : { url: probeUrl, headers },
  };
}

/** A key pasted into a file often ends with a line feed, which no header can carry. */
function keyIn(env: ProviderPorts["env"], name: string): string | null {
  return (env[name]?.trim() ?? "") || null;
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
