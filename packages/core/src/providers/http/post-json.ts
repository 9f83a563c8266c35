import { failure, success, type Result } from "../../result.js";
import type { Clock } from "../../values/clock.js";
import { isRecord } from "../../values/json.js";
import { isJsonLimit } from "../../values/parse-json.js";
import type { ProviderPorts } from "../define-provider.js";
import { defaultRequestTimeouts, type NativeListener } from "../provider.js";
import type { RequestTimeouts, HttpReply, HttpRequest, SendOptions } from "./transport.js";
import type { WireFormat } from "../wire-format.js";
import { classifyFailure, classifyReply, unusableReply } from "./classify.js";
import { parseReply } from "./parse-reply.js";
import type { ProviderIdentity } from "./provider-identity.js";

/** One request of an adapter. */
export interface JsonPost {
  url: string;
  /** Without `content-type`, which follows from the body. */
  headers: Readonly<Record<string, string>>;
  /** Becomes JSON, unless it is the text of it already. */
  body: Readonly<Record<string, unknown>> | string;
  timeouts?: RequestTimeouts | undefined;
  /** Which error replies are read like a success; none when absent. */
  isAnswer?: WireFormat["isAnswer"];
  /** Hears the reply as it came. */
  listener?: NativeListener | undefined;
}

/** A successful reply with its body parsed. */
export interface JsonReply {
  json: Record<string, unknown>;
  reply: HttpReply;
  /** The error for a body that parses but lacks what the provider promises; `reason` completes "returned 200 with …". */
  unusable(reason: string): Result<never>;
}

/** What an exchange needs of the world. */
export type PostPorts = Pick<ProviderPorts, "http" | "clock">;

/** Posts JSON and reads JSON. Everything but a 2xx with an object in its body is an error with its one code. */
export async function postJson(
  identity: ProviderIdentity,
  ports: PostPorts,
  post: JsonPost,
  options: SendOptions,
): Promise<Result<JsonReply>> {
  const sent = await ports.http.send(toHttpRequest(post), options);
  if (!sent.success) return failure(classifyFailure(identity, sent.error, ports.clock.now()));
  post.listener?.replied(sent.data);
  const reply = checkReply(identity, post, sent.data, ports.clock.now());
  return reply.success ? readJson(identity, reply.data, ports.clock) : reply;
}

export function toHttpRequest({ url, headers, body, timeouts = defaultRequestTimeouts }: JsonPost): HttpRequest {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { url, method: "POST", headers: withCommon(headers), body: text, timeouts };
}

/** A 2xx reply, or one that is an answer all the same, as it is; any other as its error. */
export function checkReply(
  identity: ProviderIdentity,
  post: JsonPost,
  received: HttpReply,
  nowMs: number,
): Result<HttpReply> {
  const reply = withoutCredentials(received, post.headers);
  const { status, body } = reply;
  const isAnswer = (status >= 200 && status <= 299) || post.isAnswer?.(status, body) === true;
  return isAnswer ? success(reply) : failure(classifyReply(identity, reply, nowMs));
}

/** The object in the body of a successful reply. */
export function readJson(identity: ProviderIdentity, reply: HttpReply, clock: Clock): Result<JsonReply> {
  const unusable = (reason: string): Result<never> => failure(unusableReply(identity, reply, reason, clock.now()));
  const parsed = parseReply(reply.body);
  if (!parsed.success) {
    if (isJsonLimit(parsed.error)) return unusable(`a body that is ${parsed.error}`);
    return unusable(reply.body.trim() === "" ? "an empty body" : "a body that is not JSON");
  }
  if (!isRecord(parsed.data)) return unusable("a body that is not a JSON object");
  return success({ json: parsed.data, reply, unusable });
}

const common = { "content-type": "application/json", accept: "application/json", "user-agent": "kindlm" };
const completed = new WeakMap<object, Readonly<Record<string, string>>>();

/** An adapter sends the same headers with each request, so that they are completed once. */
function withCommon(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const known = completed.get(headers);
  if (known !== undefined) return known;
  const complete = { ...common, ...headers };
  completed.set(headers, complete);
  return complete;
}

const credentialHeader = /auth|key|token|secret|cookie/;

/**
 * Some servers repeat the key in their error. It is taken out here, so that no error holds it even where nobody
 * redacts what is printed.
 */
function withoutCredentials(reply: HttpReply, headers: Readonly<Record<string, string>>): HttpReply {
  if (reply.status < 300) return reply;
  let { body } = reply;
  for (const [name, value] of Object.entries(headers)) {
    if (!credentialHeader.test(name)) continue;
    for (const secret of secretsIn(value)) body = body.replaceAll(secret, "[redacted]");
  }
  return body === reply.body ? reply : { ...reply, body };
}

/** A signature names its parts (`Credential=AKIA…/20261121/…, Signature=…`), and servers repeat them one by one. */
function secretsIn(value: string): readonly string[] {
  const parts = value.split(/[\s,]+/).flatMap((part) => {
    const named = part.replace(/^[A-Za-z]+=/, "");
    return [part, named, named.split("/")[0] ?? ""];
  });
  return parts.filter((part) => part.length >= 8);
}
