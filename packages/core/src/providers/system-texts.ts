import type { ProviderRequest } from "./provider.js";

/** The system prompt and the system messages of the history, for an API that takes them at one place only. */
export function systemTexts({ system, messages }: ProviderRequest): readonly string[] {
  const texts = system === undefined ? [] : [system];
  for (const message of messages) if (message.role === "system") texts.push(message.content);
  return texts;
}
