import { failure, success } from "../../result.js";
import { isRecord } from "../../values/json.js";
import type { EmbeddingFormat } from "../wire-format.js";

interface EmbeddingAddress {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** As a resource, such as `models/gemini-embedding-001`. */
  model: string;
}

/**
 * `batchEmbedContents`: a request for each text in one request. What the config adds, such as `taskType` or
 * `outputDimensionality`, goes into each of them.
 * Source: https://ai.google.dev/api/embeddings
 */
export function createGeminiEmbedding({ url, headers, model }: EmbeddingAddress): EmbeddingFormat {
  return {
    toRequest: ({ texts, params }) => ({
      url,
      headers,
      body: {
        requests: texts.map((text) => ({ model, content: { role: "user", parts: [{ text }] }, ...params.extra_body })),
      },
    }),
    fromReply(json) {
      const { embeddings, usageMetadata } = json;
      if (!Array.isArray(embeddings)) return failure("no embeddings in it");
      const tokens = isRecord(usageMetadata) ? usageMetadata["promptTokenCount"] : undefined;
      return success({
        vectors: embeddings.map((one: unknown) => (isRecord(one) ? one["values"] : null)),
        // Most replies do not count tokens.
        usage: typeof tokens === "number" ? { inputTokens: tokens, outputTokens: 0 } : null,
        modelServed: null,
      });
    },
  };
}
