import type { ModelSettings, ProviderAccess, ProviderPorts } from "./define-provider.js";
import { providerNameOf, type ProviderIdentity } from "./http/provider-identity.js";
import { isRecord } from "../values/json.js";

/** Where an HTTP provider is, and how to get in. */
export interface HttpProviderAccess {
  identity: ProviderIdentity;
  /** Without a slash at the end, and without a query. */
  baseUrl: string;
  /** What the address has behind its `?`, for each request; empty when it has none. */
  query: string;
  /** True for the provider's own servers, false for others that speak its language. */
  isOfficial: boolean;
  /** Null when none is needed. */
  apiKey: string | null;
  /** The variables that the key is looked for in; the first that is set holds it. */
  keys: ProviderAccess["keys"];
  /** True when a key is needed and there is none: no request can work. */
  isKeyMissing: boolean;
  /** Of each request: the provider's, the key's, and over them those of the config. Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** True when the config has a header that lets a request in: then no key is missing. */
  hasOwnKeyHeader: boolean;
}

/** What distinguishes one HTTP provider from another. */
export interface HttpProviderDefaults {
  type: string;
  label: string;
  /** Where requests go when the config does not say. */
  baseUrl: string;
  /** Whether an address is one of the provider's own servers; when absent, whether its host is that of `baseUrl`. */
  isOfficial?(url: string): boolean;
  /** The address below which the paths are, from any of the forms in which people write it. */
  toBaseUrl?(url: string): string;
  apiKeyEnv: string;
  /** All usual names of the key's variable when there are several, in the order in which they are looked at. */
  apiKeyEnvs?: readonly string[];
  /** The header that takes the key; when absent it goes as a bearer token. */
  keyHeader?: string;
  /** False when a server of one's own gets no key but the one that the config names. */
  isKeyForOwnServers?: boolean;
  /** Further headers of each request, in lower case. */
  headers?: Readonly<Record<string, string>>;
}

/**
 * Reads the provider's block. The usual key goes to the official servers, and to the server that the config puts in
 * their place under the same name (a gateway, say), which may do without one. A server under its own name gets a
 * key if the config names one with `api_key_env`, and none otherwise: no key reaches a server it was not meant for.
 */
export function openHttpProvider(
  defaults: HttpProviderDefaults,
  { provider, providerName, model }: ModelSettings,
  env: ProviderPorts["env"],
): HttpProviderAccess {
  const { isOfficial: isOwn = sameHost(defaults.baseUrl), isKeyForOwnServers = true } = defaults;
  // A gateway may want a query with each request; it goes behind the path, not into its middle.
  const [address = "", ...query] = (textOf(provider["base_url"]) ?? defaults.baseUrl).split("?");
  const url = address.replace(/\/+$/, "");
  const isOfficial = isOwn(url);
  const named = textOf(provider["api_key_env"]);
  const takesUsualKey = isOfficial || (isKeyForOwnServers && providerName === defaults.type);
  const usual = takesUsualKey ? (defaults.apiKeyEnvs ?? [defaults.apiKeyEnv]) : [];
  const keyEnvs = named === null ? usual : [named];
  const setEnv = keyEnvs.find((name) => keyIn(env, name) !== null);
  const apiKeyEnv = setEnv ?? named ?? (takesUsualKey ? defaults.apiKeyEnv : null);
  const apiKey = setEnv === undefined ? null : keyIn(env, setEnv);
  const own = lowerCased(provider["headers"]);
  // Servers that take keys in their own header take tokens as well.
  const hasOwnKeyHeader = ["authorization", defaults.keyHeader ?? ""].some((name) => own[name] !== undefined);
  return {
    identity: { name: providerNameOf(defaults, providerName), model, apiKeyEnv },
    baseUrl: defaults.toBaseUrl?.(url) ?? url,
    query: query.join("?"),
    isOfficial,
    apiKey,
    keys: keyEnvs.map((name) => ({ env: name, isSet: keyIn(env, name) !== null })),
    isKeyMissing: apiKey === null && !hasOwnKeyHeader && (named !== null || isOfficial),
    headers: { ...defaults.headers, ...keyHeaders(defaults.keyHeader, apiKey), ...own },
    hasOwnKeyHeader,
  };
}

/** A key pasted into a file often ends with a line feed, which no header can carry. */
export function keyIn(env: ProviderPorts["env"], name: string): string | null {
  return (env[name]?.trim() ?? "") || null;
}

function keyHeaders(header: string | undefined, apiKey: string | null): Readonly<Record<string, string>> {
  if (apiKey === null) return {};
  return header === undefined ? { authorization: `Bearer ${apiKey}` } : { [header]: apiKey };
}

function lowerCased(headers: unknown): Readonly<Record<string, string>> {
  if (!isRecord(headers)) return {};
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), String(text)]));
}

function sameHost(official: string): (url: string) => boolean {
  return (url) => hostOf(url) === hostOf(official);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** The address with a query behind what it has already. */
export function withQuery(url: string, query: string): string {
  return query === "" ? url : `${url}${url.includes("?") ? "&" : "?"}${query}`;
}
