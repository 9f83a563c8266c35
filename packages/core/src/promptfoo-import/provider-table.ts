/** A model of KindLM without its id and params. */
export interface ConvertedModel {
  provider: string;
  model: string;
  /** Settings of the provider under its name, where it is none that KindLM knows. */
  server?: { name: string; base_url: string; api_key_env: string };
}

type Converter = (rest: string) => ConvertedModel;

/** `chat:gpt-5` as `gpt-5`; the first word may be left out. */
const withoutKind = (rest: string): string => rest.replace(/^(?:chat|responses|completion|messages|converse):/, "");
const of =
  (provider: string): Converter =>
  (rest) => ({ provider, model: withoutKind(rest) });
const like =
  (name: string, base_url: string, api_key_env: string): Converter =>
  (rest) => ({ provider: name, model: withoutKind(rest), server: { name, base_url, api_key_env } });

/** By the first word of a provider of promptfoo. A new one is a line. */
export const providerTable: Readonly<Record<string, Converter>> = {
  openai: of("openai"),
  anthropic: of("anthropic"),
  google: of("gemini"),
  palm: of("gemini"),
  mistral: of("mistral"),
  cohere: of("cohere"),
  ollama: of("ollama"),
  azure: of("azure"),
  azureopenai: of("azure"),
  bedrock: of("bedrock"),
  openrouter: like("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
  groq: like("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
  deepseek: like("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
  togetherai: like("together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
  together: like("together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
  fireworks: like("fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
  cerebras: like("cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
  perplexity: like("perplexity", "https://api.perplexity.ai", "PERPLEXITY_API_KEY"),
  xai: like("xai", "https://api.x.ai/v1", "XAI_API_KEY"),
};

/** Params with the same name and meaning. */
export const sameParams: ReadonlySet<string> = new Set([
  "temperature",
  "top_p",
  "max_tokens",
  "seed",
  "stop",
  "frequency_penalty",
  "presence_penalty",
  "reasoning_effort",
  "parallel_tool_calls",
]);

/** Params with the same meaning under another name. */
export const renamedParams: Readonly<Record<string, string>> = {
  max_completion_tokens: "max_tokens",
  max_output_tokens: "max_tokens",
  maxOutputTokens: "max_tokens",
  num_predict: "max_tokens",
  topP: "top_p",
  stopSequences: "stop",
  stop_sequences: "stop",
};
