import { attemptSync } from "../../errors/boundary.js";
import { failure, success, type Result } from "../../result.js";
import { isRecord } from "../../values/json.js";
import type { ProviderPorts } from "../define-provider.js";
import { defaultRequestTimeouts, type RequestTimeouts } from "../provider.js";
import { classifyFailure, classifyReply, unusableReply } from "./classify.js";
import type { ProviderIdentity } from "./provider-identity.js";
import type { HttpReply } from "./transport.js";

/** One request of an adapter. */
export interface JsonPost {
  url: string;
  /** Without `content-type`, which follows from the body. */
  headers: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
  timeouts?: RequestTimeouts | undefined;
}

/** A successful reply with its body parsed. */
export interface JsonReply {
  json: Record<string, unknown>;
  reply: HttpReply;
  /** The error for a body that parses but lacks what the provider promises; `reason` completes "returned 200 with …". */
  unusable(reason: string): Result<never>;
}

/** Posts JSON and reads JSON. Everything but a 2xx with an object in its body is an error with its one code. */
export async function postJson(
  identity: ProviderIdentity,
  { http, clock }: Pick<ProviderPorts, "http" | "clock">,
  { url, headers, body, timeouts = defaultRequestTimeouts }: JsonPost,
  options: { signal: AbortSignal },
): Promise<Result<JsonReply>> {
  const request = { url, method: "POST" as const, headers: withCommon(headers), body: JSON.stringify(body), timeouts };
  const sent = await http.send(request, options);
  if (!sent.success) return failure(classifyFailure(identity, sent.error, clock.now()));
  const reply = withoutCredentials(sent.data, headers);
  if (reply.status < 200 || reply.status > 299) return failure(classifyReply(identity, reply, clock.now()));
  const unusable = (reason: string): Result<never> => failure(unusableReply(identity, reply, reason, clock.now()));
  const parsed = attemptSync(
    () => JSON.parse(reply.body) as unknown,
    () => null,
  );
  if (!parsed.success) return unusable(reply.body.trim() === "" ? "an empty body" : "a body that is not JSON");
  if (!isRecord(parsed.data)) return unusable("a body that is no JSON object");
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
 * Some servers repeat the key in their error. It is taken out here, before the body is cut into messages, because half
 * a secret is recognised by no one later.
 */
function withoutCredentials(reply: HttpReply, headers: Readonly<Record<string, string>>): HttpReply {
  if (reply.status < 300) return reply;
  let { body } = reply;
  for (const [name, value] of Object.entries(headers)) {
    if (!credentialHeader.test(name)) continue;
    for (const part of value.split(" ")) if (part.length >= 8) body = body.replaceAll(part, "[redacted]");
  }
  return body === reply.body ? reply : { ...reply, body };
}
