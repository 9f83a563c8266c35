import { failure, success } from "../../result.js";
import { isRecord } from "../../values/json.js";
import type { EmbeddingFormat } from "../wire-format.js";

interface EmbeddingAddress {
  url: string;
  headers: Readonly<Record<string, string>>;
  model: string;
}

/**
 * Version 2 of the Embed API. `clustering` is for strings that are compared with each other, and a string that is too long
 * is rejected instead of cut, since the rest of it would not count.
 * Source: https://docs.cohere.com/reference/embed
 */
export function createCohereEmbedding({ url, headers, model }: EmbeddingAddress): EmbeddingFormat {
  return {
    toRequest: ({ texts, params }) => ({
      url,
      headers,
      body: {
        model,
        texts,
        input_type: "clustering",
        embedding_types: ["float"],
        truncate: "NONE",
        ...params.extra_body,
      },
    }),
    fromReply({ embeddings, meta }) {
      const vectors = isRecord(embeddings) ? embeddings["float"] : null;
      if (!Array.isArray(vectors)) return failure("no embeddings in it");
      const billed =
        isRecord(meta) && isRecord(meta["billed_units"]) ? meta["billed_units"]["input_tokens"] : undefined;
      const usage = typeof billed === "number" ? { inputTokens: billed, outputTokens: 0 } : null;
      return success({ vectors, usage, modelServed: null });
    },
  };
}
