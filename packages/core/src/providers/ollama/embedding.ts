import { failure, success } from "../../result.js";
import { textOf } from "../../values/json.js";
import type { EmbeddingFormat } from "../wire-format.js";

interface EmbeddingAddress {
  url: string;
  headers: Readonly<Record<string, string>>;
  model: string;
}

/**
 * `/api/embed`. A string that is too long for the model is rejected instead of cut, since the rest of it would not count.
 * Source: https://docs.ollama.com/api/embed
 */
export function createOllamaEmbedding({ url, headers, model }: EmbeddingAddress): EmbeddingFormat {
  return {
    toRequest: ({ texts, params }) => ({
      url,
      headers,
      body: { model, input: texts, truncate: false, ...params.extra_body },
    }),
    fromReply({ embeddings, model: served, prompt_eval_count: tokens }) {
      if (!Array.isArray(embeddings)) return failure("no embeddings in it");
      const usage = typeof tokens === "number" ? { inputTokens: tokens, outputTokens: 0 } : null;
      return success({ vectors: embeddings, usage, modelServed: textOf(served) || null });
    },
  };
}
