import type { DialectName } from "../../providers/dialect-name.js";
import type { EmbedResponse } from "../../providers/provider.js";
import type { GatewayChange } from "../../errors/gateway-change.js";
import { failure, success, type Result } from "../../result.js";
import type { DialectRoute } from "./dialects/dialect.js";
import type { TranslationProblem } from "./dialects/translation.js";
import type { EmbeddingAsked } from "./embedding-service.js";
import type { GatewayReply, GatewayRequest } from "./gateway-request.js";
import { nativeRequest, Relay } from "./relay.js";
import { failureReply, gatewayRefused } from "./serve-completion.js";

/** One request of an agent for embeddings. */
export interface AskedEmbedding {
  /** The model that the agent names. */
  model: string;
  /** For a model that has another API. */
  translate(): Result<{ texts: readonly string[]; changes: readonly GatewayChange[] }, TranslationProblem>;
  render(response: EmbedResponse, model: string): GatewayReply;
}

/**
 * A route for embeddings. A provider that speaks one of `dialects` gets the request as it is, for the model that the agent
 * names. Otherwise the model of the case is asked, if it has embeddings.
 */
export function embeddingRoute(
  path: RegExp,
  dialects: readonly DialectName[],
  read: (request: GatewayRequest) => Result<AskedEmbedding, string>,
): DialectRoute {
  return {
    method: "POST",
    path,
    async serve(request, { dialect, embeddings }) {
      const asked = read(request);
      if (!asked.success) return dialect.errorReply(400, "invalid_request", asked.error);
      const { model, translate, render } = asked.data;
      const spoken = embeddings.spoken(dialects);
      const relay = new Relay(request);
      const prepare = (): Result<EmbeddingAsked, TranslationProblem> => {
        if (spoken === null) return embeddings.hasVectors ? translate() : failure(noVectors);
        const native = nativeRequest(request, { dialect: spoken, isStream: false, listener: relay });
        return success({ native: { ...native, model }, texts: [], changes: [] });
      };
      const prepared = prepare();
      if (!prepared.success) {
        const problem = prepared.error;
        if (problem.kind === "invalid") return dialect.errorReply(problem.status, "invalid_request", problem.message);
        return failureReply(dialect, embeddings.refuse(problem.changes, gatewayRefused(dialect, problem.changes)));
      }
      const answered = await embeddings.ask(prepared.data, request.signal);
      const relayed = relay.outcome(answered.success);
      if (relayed !== null) return relayed;
      if (!answered.success) return failureReply(dialect, answered.error);
      return render(answered.data, answered.data.modelServed ?? model);
    },
  };
}

const noVectors: TranslationProblem = {
  kind: "refused",
  changes: [{ path: "embeddings", kind: "refused", reason: "the model of the case has no embeddings" }],
};
