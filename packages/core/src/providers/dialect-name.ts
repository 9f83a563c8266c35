/** The APIs that agents speak to models, each with its own format. */
export const dialectNames = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;
export type DialectName = (typeof dialectNames)[number];
