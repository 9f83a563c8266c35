import { anthropicProvider } from "./anthropic/anthropic-provider.js";
import { bedrockProvider } from "./bedrock/bedrock-provider.js";
import { cohereProvider } from "./cohere/cohere-provider.js";
import type { ProviderDefinition } from "./define-provider.js";
import { geminiProvider } from "./gemini/gemini-provider.js";
import { azureProvider } from "./azure/azure-provider.js";
import { mistralProvider } from "./mistral/mistral-provider.js";
import { ollamaProvider } from "./ollama/ollama-provider.js";
import { openaiProvider } from "./openai/openai-provider.js";
import { scriptedProvider } from "./scripted/scripted-provider.js";

/** Every provider. The `type` of each works as a provider's name without a `providers:` entry. */
export const providerDefinitions: readonly ProviderDefinition[] = [
  openaiProvider,
  anthropicProvider,
  geminiProvider,
  mistralProvider,
  cohereProvider,
  ollamaProvider,
  azureProvider,
  bedrockProvider,
  scriptedProvider,
];

const byType = new Map(providerDefinitions.map((definition) => [definition.type, definition]));

/** The provider of this `type`; null when there is none. */
export function findProvider(type: string): ProviderDefinition | null {
  return byType.get(type) ?? null;
}

/** The names that need no `providers:` entry. */
export const knownProviderNames: readonly string[] = providerDefinitions.map((definition) => definition.type);
