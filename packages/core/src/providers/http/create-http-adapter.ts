import { failure, success, type Result } from "../../result.js";
import type { HttpProviderAccess } from "../open-http-provider.js";
import type { ProviderAdapter, ProviderResponse } from "../provider.js";
import type { EmbeddingFormat, WireFormat, WireRequest } from "../wire-format.js";
import { missingKey, requestIdOf } from "./classify.js";
import { imageUrlProblem } from "./image-url-problem.js";
import { checkReply, postJson, type JsonPost, type JsonReply, type PostPorts } from "./post-json.js";

export interface HttpAdapterParts {
  access: Pick<HttpProviderAccess, "identity" | "isKeyMissing" | "query">;
  format: WireFormat;
  /** Loads its language of embeddings; absent where it has none. */
  loadEmbedding?(): Promise<EmbeddingFormat>;
  /** Adds what depends on the whole request, such as a signature. Without it requests go as the format makes them. */
  sign?(post: WireRequest, options: { signal: AbortSignal }): Promise<Result<WireRequest>>;
}

/** The adapter that all HTTP providers share: their two translators around one exchange. */
export function createHttpAdapter(
  { access, format, sign, loadEmbedding }: HttpAdapterParts,
  ports: PostPorts,
): ProviderAdapter {
  const { identity } = access;
  const adapter: ProviderAdapter = {
    async complete(request, options) {
      if (access.isKeyMissing) return failure(missingKey(identity));
      const problem = format.takesImageUrls === false ? imageUrlProblem(identity, request.messages) : null;
      if (problem !== null) return failure(problem);
      const plain = format.toRequest(request);
      const signed = sign === undefined ? null : await sign(plain, options);
      if (signed?.success === false) return signed;
      const { url, headers, body } = signed?.data ?? plain;
      const post: JsonPost = { url, headers, body, timeouts: request.timeouts, isAnswer: format.isAnswer };
      const read = ({ json, reply, unusable }: JsonReply): Result<ProviderResponse> => {
        const answer = format.fromResponse(json, request.origin.turn);
        if (answer.success) {
          const { headers: received, latencyMs } = reply;
          return success(Object.assign(answer.data, { requestId: requestIdOf(received), latencyMs }));
        }
        if (typeof answer.error === "string") return unusable(answer.error);
        const told = checkReply(identity, post, { ...reply, ...answer.error }, ports.clock.now());
        return told.success ? unusable("an error in its body") : told;
      };
      if (request.stream !== true) {
        const posted = await postJson(identity, ports, post, options);
        return posted.success ? read(posted.data) : posted;
      }
      const { postStream } = await import("./streaming/post-stream.js");
      const posted = await postStream(identity, ports, post, format.stream, options);
      if (!posted.success) return posted;
      const answer = read(posted.data);
      const { timeToFirstTokenMs } = posted.data;
      return answer.success && timeToFirstTokenMs !== null
        ? success(Object.assign(answer.data, { timeToFirstTokenMs }))
        : answer;
    },
  };
  if (loadEmbedding !== undefined) {
    adapter.embed = async (request, options) => {
      const [{ postEmbedding }, language] = await Promise.all([import("./post-embedding.js"), loadEmbedding()]);
      return postEmbedding(access, language, request, ports, options);
    };
  }
  return adapter;
}
