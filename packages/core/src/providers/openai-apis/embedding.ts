import { failure, success } from "../../result.js";
import { readUsage } from "../chat-completions/read-usage.js";
import { isRecord, textOf } from "../../values/json.js";
import type { EmbeddingFormat } from "../wire-format.js";
import { inBandError } from "./in-band-error.js";

interface EmbeddingAddress {
  url: string;
  headers: Readonly<Record<string, string>>;
  model: string;
  nativeUrl?: NonNullable<EmbeddingFormat["nativeUrl"]>;
}

/**
 * Embeddings as OpenAI has them, and with it Azure, Mistral and most servers of one's own. `encoding_format` is left
 * out, since plain numbers are what it is without.
 * Source: https://platform.openai.com/docs/api-reference/embeddings and https://docs.mistral.ai/api/endpoint/embeddings
 */
export function createOpenaiEmbedding({ url, headers, model, ...own }: EmbeddingAddress): EmbeddingFormat {
  return {
    ...own,
    toRequest: ({ texts, params }) => ({ url, headers, body: { model, input: texts, ...params.extra_body } }),
    fromReply(json) {
      const told = inBandError(json);
      if (told !== null) return failure(told);
      const { data } = json;
      if (!Array.isArray(data)) return failure("no data in it");
      const entries = data.filter(isRecord);
      const inOrder = entries.every(({ index }) => typeof index === "number")
        ? entries.toSorted((a, b) => Number(a["index"]) - Number(b["index"]))
        : entries;
      const usage = isRecord(json["usage"]) ? { completion_tokens: 0, ...json["usage"] } : null;
      return success({
        vectors: inOrder.map(({ embedding }) => embedding),
        usage: readUsage(usage, "prompt_tokens", "completion_tokens"),
        modelServed: textOf(json["model"]) || null,
      });
    },
  };
}
