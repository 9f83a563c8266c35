import type * as z from "zod";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import type { HttpTransport } from "./http/transport.js";
import type { ProviderAdapter } from "./provider.js";

/** What an adapter is made from: one model of the config, resolved. */
export interface ModelSettings {
  /** Id of the model in the config. */
  id: string;
  /** Name of the provider in the config, such as `openai` or `local`. */
  providerName: string;
  /** The model's name as the provider knows it. */
  model: string;
  /** The provider's block of the config, parsed by `settings`; secrets are named in it, never held. */
  provider: Readonly<Record<string, unknown>>;
  /** The model's own keys, parsed by `modelSettings`. */
  own: Readonly<Record<string, unknown>>;
  /** The parsed documents that `documents` names, by their key. */
  documents: Readonly<Record<string, unknown>>;
}

/** The world that an adapter may touch. */
export interface ProviderPorts {
  http: HttpTransport;
  clock: Clock;
  env: Readonly<Record<string, string | undefined>>;
}

/** What a check of the surroundings can say about a provider without a model's answer. */
export interface ProviderAccess {
  baseUrl: string;
  /** Environment variables that hold what lets a request in; any one of several may do. Values are never shown. */
  keys: readonly { env: string; isSet: boolean }[];
  /** False for a server that takes requests without a key. */
  isKeyNeeded: boolean;
  /**
   * A cheap GET that shows whether the server is there and takes the key, such as the list of models. Null where the
   * API has none; then `baseUrl` is asked, and any answer shows that the server is there.
   */
  probe: { url: string; headers: Readonly<Record<string, string>> } | null;
  /** False where the probe lists other names than a config has, such as models instead of deployments; true when absent. */
  listsModels?: boolean;
  /** Where credentials are searched when none of `keys` is set, such as `AWS's shared files`. */
  otherKeys?: string;
  /** Packages that these settings need in addition to KindLM, because few people need them. */
  peers?: readonly string[];
}

/** A member of the provider family. */
export interface ProviderDefinition {
  /** The `type` in the config, and the name that works without a `providers:` entry when `known` says so. */
  type: string;
  /** As shown to people, such as `OpenAI`. */
  label: string;
  summary: string;
  /** Strict shape of the provider's block in `providers:`, without `type`. */
  settings: z.ZodRawShape;
  /** Keys that a model of this provider has beyond the common ones, such as `script`. */
  modelSettings: z.ZodRawShape;
  /** Keys of the model that name a YAML document (or hold it inline), each with the schema that it must satisfy. */
  documents: Readonly<Record<string, z.ZodType>>;
  /** Whether `model:` may be left out. */
  modelOptional?: boolean;
  /** The module that registers the provider, absolute; absent for a built-in one. */
  file?: string;
  /** True when the outcome is fixed by the script; false when a live model answers, or the script draws lots. */
  isDeterministic(settings: ModelSettings): boolean;
  /** True if its models can turn strings into vectors; the adapter has `embed` then. */
  embeds?: boolean;
  /** What a request needs and how the server is reached, without sending anything; null when nothing is sent over a network. */
  inspect(settings: ModelSettings, env: ProviderPorts["env"]): ProviderAccess | null;
  /** Makes the adapter. A missing key is not an error here, but the answer to each request (PROVIDER_AUTH_ERROR). */
  create(settings: ModelSettings, ports: ProviderPorts): Result<ProviderAdapter, KindlmError>;
}

export function defineProvider(definition: ProviderDefinition): ProviderDefinition {
  return definition;
}
