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
  /** True when the outcome is fixed by the script; false when a live model answers, or the script draws lots. */
  isDeterministic(settings: ModelSettings): boolean;
  /** Makes the adapter. A missing key is no error here, but the answer to each request (PROVIDER_AUTH_ERROR). */
  create(settings: ModelSettings, ports: ProviderPorts): Result<ProviderAdapter, KindlmError>;
}

export function defineProvider(definition: ProviderDefinition): ProviderDefinition {
  return definition;
}
