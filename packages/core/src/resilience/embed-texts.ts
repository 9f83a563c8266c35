import { kindlmError } from "../errors/kindlm-error.js";
import type { EmbedRequest, EmbedResponse } from "../providers/provider.js";
import { failure } from "../result.js";
import type { CallPorts, ModelRequest } from "./call-endpoint.js";
import { callRoute, type RoutedCall } from "./call-route.js";
import { charactersPerToken } from "./estimate-tokens.js";
import type { ModelRoute, RouteTarget } from "./model-route.js";

export type EmbeddingQuestion = Pick<EmbedRequest, "texts" | "origin" | "native">;

export type EmbeddingCall = RoutedCall<EmbedResponse>;

/** Asks the model at `from` on the route for vectors and, while it is down, those after it. */
export function embedTexts(
  question: EmbeddingQuestion,
  route: ModelRoute,
  from: number,
  ports: CallPorts,
  options: { signal: AbortSignal },
): Promise<EmbeddingCall> {
  return callRoute((target) => toModelRequest(question, target), route, from, ports, options);
}

function toModelRequest(
  { texts, origin: asked, native }: EmbeddingQuestion,
  { endpoint, params, timeouts }: RouteTarget,
): ModelRequest<EmbedResponse> {
  return {
    origin: asked,
    estimateTokens: () => Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / charactersPerToken),
    async send({ embed, dialects = [] }, origin, options) {
      if (embed !== undefined && native !== undefined && dialects.includes(native.dialect))
        return embed({ texts: [], params: {}, timeouts, origin, native }, options);
      if (embed !== undefined) return embed({ texts, params, timeouts, origin }, options);
      // The config rejects it as an embedding model, but not as a fallback of one.
      const message = `${endpoint.model} has no embeddings`;
      const details = { provider: endpoint.provider, model: endpoint.model, sent: false as const, retryable: false };
      return failure(kindlmError("PROVIDER_API_ERROR", message, { details }));
    },
  };
}
