import { failure, success, type Result } from "../../result.js";
import { believableUsage } from "../believable-usage.js";
import { withQuery, type HttpProviderAccess } from "../open-http-provider.js";
import type { CallOptions, EmbedRequest, EmbedResponse } from "../provider.js";
import type { EmbeddingFormat } from "../wire-format.js";
import { nativeEmbeddingPost } from "./native-post.js";
import { missingKey, requestIdOf } from "./classify.js";
import { checkReply, postJson, type JsonPost, type PostPorts } from "./post-json.js";

/** One request for vectors and its reply, the way that every request goes. */
export async function postEmbedding(
  access: Pick<HttpProviderAccess, "identity" | "isKeyMissing" | "query">,
  format: EmbeddingFormat,
  request: EmbedRequest,
  ports: PostPorts,
  options: CallOptions,
): Promise<Result<EmbedResponse>> {
  const { identity } = access;
  if (access.isKeyMissing) return failure(missingKey(identity));
  const { native, timeouts } = request;
  const plain = format.toRequest(request);
  const url = withQuery((native && format.nativeUrl?.(native)) ?? plain.url, access.query);
  const post: JsonPost =
    native === undefined
      ? { ...plain, url, timeouts }
      : { ...nativeEmbeddingPost({ ...plain, url }, native), timeouts };
  native?.listener.sent([]);
  const posted = await postJson(identity, ports, post, options);
  if (!posted.success) return posted;
  const { json, reply, unusable } = posted.data;
  const read = format.fromReply(json);
  if (native !== undefined) {
    const { usage = null, modelServed = null } = read.success ? read.data : {};
    const rest = { requestId: requestIdOf(reply.headers), latencyMs: reply.latencyMs };
    return success({ vectors: [], usage: believableUsage(usage), modelServed, ...rest });
  }
  if (!read.success) {
    if (typeof read.error === "string") return unusable(read.error);
    const told = checkReply(identity, post, { ...reply, ...read.error }, ports.clock.now());
    return told.success ? unusable("an error in its body") : told;
  }
  const { vectors, usage, modelServed } = read.data;
  const problem = problemOf(vectors, request.texts.length);
  if (problem !== null || !vectors.every(isVector)) return unusable(problem ?? "vectors that are none");
  const { headers, latencyMs } = reply;
  return success({ vectors, usage: believableUsage(usage), modelServed, requestId: requestIdOf(headers), latencyMs });
}

/** Completes "returned 200 with …". */
function problemOf(vectors: readonly unknown[], texts: number): string | null {
  if (vectors.length !== texts) return `${vectors.length} vectors for ${texts} strings`;
  const lengths = new Set(vectors.map((vector) => (isVector(vector) ? vector.length : null)));
  if (lengths.has(null) || lengths.has(0)) return "a vector that is not a list of numbers";
  return lengths.size > 1 ? "vectors of different lengths" : null;
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((number) => typeof number === "number" && Number.isFinite(number));
}
