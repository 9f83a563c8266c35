import type { ProviderErrorDetails } from "../../../errors/provider-error-details.js";
import type { KindlmError } from "../../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../../result.js";
import type { CallSearch, FoundCall } from "../../../transcript/find-calls.js";
import type { WireFormat } from "../../wire-format.js";
import { brokenOff, classifyFailure, classifyReply, requestIdOf, unusableReply } from "../classify.js";
import { checkReply, readJson, toHttpRequest, type JsonPost, type JsonReply, type PostPorts } from "../post-json.js";
import type { ProviderIdentity } from "../provider-identity.js";
import type { HttpReply, SendOptions } from "../transport.js";
import { createDecoder } from "./create-decoder.js";
import type { StreamDecoder } from "./stream-decoder.js";
import { StreamReader } from "./stream-reader.js";

/** A stream that was read to its end. */
export interface StreamedReply extends JsonReply {
  /** From sending the request to the first piece of the answer, milliseconds; null when there was none. */
  timeToFirstTokenMs: number | null;
  /** What looked like a tool call in its events. */
  foundCalls: readonly FoundCall[];
}

/**
 * Posts JSON and reads a stream. What comes out is what {@link postJson} gives without streaming. An error after the
 * first event keeps the text that came until then and says that the same call must not be made again: its beginning
 * would be there twice.
 */
export async function postStream(
  identity: ProviderIdentity,
  ports: PostPorts,
  post: JsonPost,
  format: WireFormat["stream"] & { search?: CallSearch },
  options: SendOptions,
): Promise<Result<StreamedReply>> {
  const { http, clock } = ports;
  const decoder = await createDecoder(format.framing);
  const reader = new StreamReader(decoder, format.createAssembler(), format.search);
  const sent = await http.send({ ...toHttpRequest(post), sink: reader.push }, options);
  if (!sent.success) return failure(reader.explain(classifyFailure(identity, sent.error, clock.now())));
  const received = sent.data.status < 300 ? sent.data : withErrorEvent(sent.data, decoder);
  const checked = checkReply(identity, post, received, clock.now());
  if (!checked.success) return checked;
  const reply = checked.data;
  if (reply.status > 299) {
    // An error that is an answer all the same was never a stream.
    const whole = readJson(identity, reply, clock);
    return whole.success ? success({ ...whole.data, timeToFirstTokenMs: null, foundCalls: [] }) : whole;
  }
  const unusable = (reason: string, body = ""): Result<never> =>
    failure(reader.explain(unusableReply(identity, { ...reply, body }, reason, clock.now())));
  const ended = reader.finish(reply.latencyMs);
  switch (ended.kind) {
    case "complete":
      return success({
        json: ended.json,
        reply,
        unusable,
        timeToFirstTokenMs: reader.firstContentMs,
        foundCalls: reader.foundCalls,
      });
    case "broken": {
      const whole = readJson(identity, { ...reply, body: ended.text }, clock);
      return whole.success
        ? success({ ...whole.data, timeToFirstTokenMs: null, foundCalls: [] })
        : unusable(ended.problem, ended.text);
    }
    case "refused": {
      const said: HttpReply = { ...reply, status: ended.status, body: ended.body };
      const refused = checkReply(identity, post, said, clock.now());
      return failure(reader.explain(refused.success ? classifyReply(identity, said, clock.now()) : refused.error));
    }
    case "cut":
      return failure(reader.explain(cutOff(identity, reply)));
    case "eventless": {
      // A server that does not stream answers as if it had not been asked to.
      const whole = readJson(identity, { ...reply, body: ended.text }, clock);
      if (whole.success) return success({ ...whole.data, timeToFirstTokenMs: null, foundCalls: [] });
      return saysStream(reply.headers) ? failure(cutOff(identity, reply)) : whole;
    }
  }
}

const streamTypes = /event-?stream|ndjson|jsonl/i;

/** Servers differ in what they call a stream; only one that names it can be said to have broken it off. */
function saysStream(headers: HttpReply["headers"]): boolean {
  return streamTypes.test(headers["content-type"] ?? "");
}

/** Some servers tell an error as the first event of a stream although they give it its own status. */
function withErrorEvent(reply: HttpReply, decoder: StreamDecoder): HttpReply {
  if (!saysStream(reply.headers)) return reply;
  const [event] = [...decoder.push(Buffer.from(reply.body)).events, ...decoder.end().events];
  return event === undefined ? reply : { ...reply, body: JSON.stringify(event.data) };
}

function cutOff({ name, model }: ProviderIdentity, { headers }: HttpReply): KindlmError {
  const details: ProviderErrorDetails = { provider: name, model, retryable: true, systemCode: "ECONNRESET" };
  const requestId = requestIdOf(headers);
  if (requestId !== null) details.requestId = requestId;
  return brokenOff(details, "the stream ended before the answer did");
}
