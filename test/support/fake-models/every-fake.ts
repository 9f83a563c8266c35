import { anthropicFake } from "./anthropic.js";
import { azureFake } from "./azure.js";
import { bedrockFake } from "./bedrock.js";
import { cohereFake } from "./cohere.js";
import type { FakeModel } from "./fake-model.js";
import { geminiFake } from "./gemini.js";
import { mistralFake } from "./mistral.js";
import { ollamaFake } from "./ollama.js";
import { openaiFake } from "./openai.js";
import { openaiResponsesFake } from "./openai-responses.js";

/** Every wire format, by the name of its adapter. */
export const everyFake: readonly (readonly [string, FakeModel])[] = [
  ["openai", openaiFake],
  ["openai (responses)", openaiResponsesFake],
  ["azure", azureFake],
  ["anthropic", anthropicFake],
  ["gemini", geminiFake],
  ["mistral", mistralFake],
  ["cohere", cohereFake],
  ["ollama", ollamaFake],
  ["bedrock", bedrockFake],
];
