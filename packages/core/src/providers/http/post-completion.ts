import { failure, success, type Result } from "../../result.js";
import type { FoundCall } from "../../transcript/find-calls.js";
import type { HttpProviderAccess } from "../open-http-provider.js";
import type { CallOptions, ProviderRequest, ProviderResponse } from "../provider.js";
import type { WireFormat, WireRequest } from "../wire-format.js";
import { checkAnswer, replySearch } from "./check-answer.js";
import { missingKey, requestIdOf } from "./classify.js";
import { imageUrlProblem } from "./image-url-problem.js";
import { checkReply, postJson, type JsonPost, type JsonReply, type PostPorts } from "./post-json.js";

/** What the exchanges of one model have in common. */
export interface CompletionParts {
  access: Pick<HttpProviderAccess, "identity" | "isKeyMissing">;
  format: WireFormat;
  /** Adds what depends on the whole request, such as a signature. Undefined: requests go as the format makes them. */
  sign: ((post: WireRequest, options: { signal: AbortSignal }) => Promise<Result<WireRequest>>) | undefined;
}

/** One turn of a conversation and its reply: the two translators of a provider around one exchange. */
export async function postCompletion(
  { access, format, sign }: CompletionParts,
  request: ProviderRequest,
  ports: PostPorts,
  options: CallOptions,
): Promise<Result<ProviderResponse>> {
  const { identity } = access;
  if (access.isKeyMissing) return failure(missingKey(identity));
  const problem = format.takesImageUrls === false ? imageUrlProblem(identity, request.messages) : null;
  if (problem !== null) return failure(problem);
  const plain = format.toRequest(request);
  const signed = sign === undefined ? null : await sign(plain, options);
  if (signed?.success === false) return signed;
  const { url, headers, body } = signed?.data ?? plain;
  const post: JsonPost = { url, headers, body, timeouts: request.timeouts, isAnswer: format.isAnswer };
  const search = replySearch(request.tools);
  const read = ({ json, reply, unusable }: JsonReply, streamed?: readonly FoundCall[]): Result<ProviderResponse> => {
    const answer = format.fromResponse(json, request.origin.turn);
    if (answer.success) {
      const checked = checkAnswer(answer.data, json, search, streamed);
      if (!checked.success) return unusable(checked.error);
      const { headers: received, latencyMs } = reply;
      return success(Object.assign(checked.data, { requestId: requestIdOf(received), latencyMs }));
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
  const posted = await postStream(identity, ports, post, { ...format.stream, search }, options);
  if (!posted.success) return posted;
  const { timeToFirstTokenMs, foundCalls } = posted.data;
  const answer = read(posted.data, foundCalls);
  return answer.success && timeToFirstTokenMs !== null
    ? success(Object.assign(answer.data, { timeToFirstTokenMs }))
    : answer;
}
