import type { Dialect } from "./dialect.js";
import { createAnthropic } from "./anthropic/anthropic.js";
import { createGemini } from "./gemini/gemini.js";
import { createOpenaiChat } from "./openai-chat/openai-chat.js";
import { createOpenaiResponses } from "./openai-responses/openai-responses.js";

/**
 * What the agent of a trial can speak to its models. Some remember what was said, so each trial has its own. OpenAI's come last:
 * they take what no header shows to be for another one.
 */
export function createDialects(): readonly [Dialect, ...Dialect[]] {
  return [createAnthropic(), createGemini(), createOpenaiChat(), createOpenaiResponses()];
}
