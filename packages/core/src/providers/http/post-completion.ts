import { failure, success, type Result } from "../../result.js";
import { findCalls, mayHoldCalls, type FoundCall, type CallSearch } from "../../transcript/find-calls.js";
import type { HttpProviderAccess } from "../open-http-provider.js";
import type {
  CallOptions,
  CountRequest,
  ProviderRequest,
  ProviderResponse,
  RanToolCall,
  ToolDefinition,
} from "../provider.js";
import type { WireFormat, WireRequest, WireAnswer } from "../wire-format.js";
import { missingKey, requestIdOf, classifyFailure } from "./classify.js";
import { checkReply, postJson, toHttpRequest, type JsonPost, type JsonReply, type PostPorts } from "./post-json.js";
import type { KindlmError } from "../../errors/kindlm-error.js";
import type { Message } from "../../transcript/message.js";
import type { HttpReply } from "./transport.js";
import type { ProviderIdentity } from "./provider-identity.js";
import { canonicalJson } from "../../values/canonical-json.js";
import { isRecord } from "../../values/json.js";
import { wordSet } from "../../values/word-set.js";
import { believableUsage } from "../believable-usage.js";
import { readToolArguments } from "../tool-arguments.js";
import { plainName } from "../../values/plain-name.js";

/** What servers quote of what the model has read, or of what they did with it. */
const ignoredKeys = wordSet("tool_output __verbose");

/** The results of calls that the provider ran itself. */
const ignoredTypes = wordSet(`
  tool_result mcp_tool_result web_search_tool_result
  web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result tool_search_tool_result
  text_editor_code_execution_tool_result advisor_tool_result
`);

/** Words for an end with calls, whoever says them. */
const endsWithCalls = /tool[-_]?(?:call|use)|function[-_]?call/i;

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
  const making = makePost(format, sign, request, options);
  const made = making instanceof Promise ? await making : making;
  if (!made.success) return made;
  const { url, headers, body, listener } = made.data;
  // Written out, since V8 of Node 20 takes microseconds to add keys to a copy.
  const post: JsonPost = { url, headers, body, listener, timeouts: request.timeouts, isAnswer: format.isAnswer };
  const search = replySearch(request.tools);
  const read = ({ json, reply, unusable }: JsonReply, streamed?: readonly FoundCall[]): Result<ProviderResponse> => {
    const answer = format.fromResponse(json, request.origin.turn);
    if (answer.success) {
      const searched = streamed === undefined && !mayHoldCalls(reply.body, search) ? {} : json;
      const checked = checkAnswer(answer.data, searched, search, streamed);
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

/** The post of a request: the adapter's own, or that of the agent which speaks its language. */
function makePost(
  format: WireFormat,
  sign: CompletionParts["sign"],
  request: ProviderRequest,
  options: CallOptions,
): Promise<Result<JsonPost>> | Result<JsonPost> {
  const { native } = request;
  if (native !== undefined) return makeNativePost(format, request, native);
  const plain = format.toRequest(request);
  return sign === undefined ? success(plain) : sign(plain, options);
}

async function makeNativePost(
  format: WireFormat,
  request: ProviderRequest,
  native: NonNullable<ProviderRequest["native"]>,
): Promise<Result<JsonPost>> {
  const { nativePost } = await import("./native-post.js");
  const { url, headers, text, changes } = nativePost(format, request, native);
  native.listener.sent(changes);
  return success({ url, headers, body: text, listener: native.listener });
}

/**
 * Passes an agent's request for a count on. The agent deals with whatever the reply is, since it is about a limit of its
 * own account.
 */
export async function postCount(
  { access, format }: CompletionParts,
  { native, timeouts, origin, sent: heard }: CountRequest,
  { http, clock }: PostPorts,
  options: CallOptions,
): Promise<Result<HttpReply | null>> {
  const { identity, isKeyMissing } = access;
  if (format.countUrl === undefined) return success(null);
  if (isKeyMissing) return failure(missingKey(identity));
  const { nativePost } = await import("./native-post.js");
  const nothing: ProviderRequest = { messages: [], tools: [], params: {}, origin };
  const post = nativePost(format, nothing, { ...native, isStream: false }, format.countUrl);
  const { url, headers, text } = post;
  heard?.(post.changes);
  const sent = await http.send(toHttpRequest({ url, headers, body: text, timeouts }), options);
  return sent.success ? sent : failure(classifyFailure(identity, sent.error, clock.now()));
}

/** For an API that takes images but no addresses of images: why these messages cannot be sent, or null if they can. */
export function imageUrlProblem(identity: ProviderIdentity, messages: readonly Message[]): KindlmError | null {
  const url = findImageUrl(messages);
  if (url === null) return null;
  const message = `it takes no image by its address, so that ${url} has to be given as a file`;
  return classifyFailure(identity, { kind: "unsendable", message, cause: new Error(message) }, 0);
}

function findImageUrl(messages: readonly Message[]): string | null {
  for (const message of messages) {
    if (message.role !== "user" || typeof message.content === "string") continue;
    for (const part of message.content) if (part.type === "image" && part.source.kind === "url") return part.source.url;
  }
  return null;
}

/** How calls are found in what came; `tools` are those that the model was offered. */
export function replySearch(tools: readonly ToolDefinition[]): CallSearch {
  return { ignoredKeys, ignoredTypes, names: new Set(tools.map(({ name }) => plainName(name))) };
}

/**
 * The answer that an adapter read, if it can be believed. The error completes `OpenAI returned 200 with …`: an answer that
 * ended with calls has some, and none of the calls in the reply was overlooked. Usage that cannot be is unknown.
 *
 * @param streamed - what looked like a call in the events of a stream
 */
export function checkAnswer(
  answer: WireAnswer,
  json: Record<string, unknown>,
  search: CallSearch,
  streamed: readonly FoundCall[] = [],
): Result<WireAnswer, string> {
  const { text, toolCalls, ranCalls = [], finishReason, usage } = answer;
  const { unified, raw } = finishReason;
  const isCalls = unified === "tool_calls" || (text !== "" && raw !== null && endsWithCalls.test(raw));
  if (toolCalls.length === 0 && isCalls) {
    return failure(`the finish reason ${raw ?? "tool_calls"}, but without a tool call that can be read`);
  }
  const read = [...toolCalls, ...ranCalls].map((call) => ({ ...call, tool: plainName(call.tool) }));
  const unread = [...findCalls(json, search), ...streamed].find((found) => !read.some((call) => isSame(found, call)));
  if (unread !== undefined) {
    const what = unread.tool === null ? "tool call" : `call of ${unread.tool}`;
    return failure(`what looks like a ${what}, at ${unread.path.slice(1) || "its top"}, and cannot be read`);
  }
  const believed = believableUsage(usage);
  return success(believed === usage ? answer : Object.assign(answer, { usage: believed }));
}

/** Of a call that streams, the arguments may be elsewhere, or there is a piece of them. */
function isSame({ tool, args }: FoundCall, call: RanToolCall): boolean {
  if (tool === null || plainName(tool) !== call.tool) return false;
  const given = readToolArguments(args).args;
  const isWhole = isRecord(given) && Object.keys(given).length > 0;
  return !isWhole || canonicalJson(given) === canonicalJson(call.args ?? null);
}
