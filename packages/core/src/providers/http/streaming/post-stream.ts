import type { ProviderErrorDetails } from "../../../errors/provider-error-details.js";
import { withDetails, type KindlmError } from "../../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../../result.js";
import { findCalls, type CallSearch, type FoundCall } from "../../../transcript/find-calls.js";
import type { WireFormat, StreamAssembler, StreamEvent, StreamStep } from "../../wire-format.js";
import { brokenOff, classifyFailure, classifyReply, requestIdOf, unusableReply } from "../classify.js";
import { checkReply, readJson, toHttpRequest, type JsonPost, type JsonReply, type PostPorts } from "../post-json.js";
import type { ProviderIdentity } from "../provider-identity.js";
import type { BodySink, HttpReply, SendOptions } from "../transport.js";
import { createDecoder } from "./create-decoder.js";
import { tooLongEvent, type StreamDecoder, type Decoded } from "./stream-decoder.js";
import { isRecord, textOf } from "../../../values/json.js";
import { maxBodyBytes } from "../decode-body.js";

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
  const decoder = createDecoder(format.framing);
  const reader = new StreamReader(decoder, format.createAssembler(), format.search);
  const sent = await http.send({ ...toHttpRequest(post), sink: heardBy(post, reader) }, options);
  if (sent.success && sent.data.body !== "") post.listener?.replied(sent.data);
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

function heardBy({ listener }: JsonPost, reader: StreamReader): BodySink {
  if (listener === undefined) return reader.push;
  return (piece, elapsedMs, head) => {
    listener.piece(piece, head);
    return reader.push(piece, elapsedMs);
  };
}

const streamTypes = /event-?stream|ndjson|jsonl/i;

/** Servers differ in what they call a stream; only one that names it can be said to have broken it off. */
function saysStream(headers: HttpReply["headers"]): boolean {
  return streamTypes.test(headers["content-type"] ?? "");
}

/** Some servers report an error as the first event of a stream although they give it its own status. */
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

/** How a stream came to its end. */
type StreamEnd =
  | { kind: "complete"; json: Record<string, unknown> }
  /** Something in it is not an event. `text` is all of the body when nothing before it was one. */
  | { kind: "broken"; problem: string; text: string }
  /** The server said that it failed, as a reply of that status with that body would. */
  | { kind: "refused"; status: number; body: string }
  /** Events came, but not all of the answer. */
  | { kind: "cut" }
  /** No event came. */
  | { kind: "eventless"; text: string };

/** Feeds an assembler, and remembers how far the stream came. */
export class StreamReader {
  /** From sending the request to the first piece of the answer, milliseconds; null until it comes. */
  firstContentMs: number | null = null;
  /** What looked like a tool call in the events, each once. */
  readonly foundCalls: FoundCall[] = [];
  private readonly foundBefore = new Set<string>();
  private readonly decoder: StreamDecoder;
  private readonly assembler: StreamAssembler;
  private readonly search: CallSearch;
  /** The body, as long as it might be none of a stream. */
  private unread: Uint8Array[] | null = [];
  private unreadBytes = 0;
  /** Why the body is not a stream, if its start shows that. */
  private problem: string | null = null;
  private hasBegun = false;
  private stopped: StreamEnd | null = null;
  private isOver = false;

  /** @param search - how calls are found in its events */
  constructor(decoder: StreamDecoder, assembler: StreamAssembler, search: CallSearch = {}) {
    this.search = search;
    this.decoder = decoder;
    this.assembler = assembler;
  }

  /** A sink: true when nothing more is wanted. */
  readonly push = (chunk: Uint8Array, elapsedMs: number): boolean => {
    this.keep(chunk);
    // A body that is not a stream is not decoded further, but may be a reply as a whole.
    return this.problem === null ? this.take(this.decoder.push(chunk), elapsedMs) : this.isOver;
  };

  finish(elapsedMs: number): StreamEnd {
    if (!this.isOver && this.problem === null) this.take(this.decoder.end(), elapsedMs);
    if (this.stopped !== null) return this.stopped;
    if (this.unread !== null) {
      const text = joined(this.unread);
      return this.problem === null ? { kind: "eventless", text } : { kind: "broken", problem: this.problem, text };
    }
    const json = this.assembler.finish();
    return json === null ? { kind: "cut" } : { kind: "complete", json };
  }

  /**
   * An error with what the stream had brought before it. Once a piece of the answer, or its start, was there, the same
   * call must not be made again.
   */
  explain(error: KindlmError): KindlmError {
    if (!this.hasBegun) return error;
    return withDetails(error, { retryable: false, partialText: this.assembler.text });
  }

  private take({ events, problem }: Decoded, elapsedMs: number): boolean {
    for (const event of events) {
      if (this.isOver) return true;
      this.unread = null;
      this.takeEvent(event, elapsedMs);
    }
    if (problem === null || this.isOver) return this.isOver;
    // A body that is not a stream may be a reply as a whole, if it starts like one.
    if (this.unread === null || (problem === tooLongEvent && !this.mayBeReply())) {
      this.stop({ kind: "broken", problem, text: "" });
    } else this.problem = problem;
    return this.isOver;
  }

  private mayBeReply(): boolean {
    return textOf((this.unread ?? []).slice(0, 1))
      .trimStart()
      .startsWith("{");
  }

  private keep(chunk: Uint8Array): void {
    if (this.unread === null) return;
    this.unread.push(chunk);
    this.unreadBytes += chunk.length;
    if (this.unreadBytes > maxBodyBytes) this.stop({ kind: "broken", problem: "a stream without an event", text: "" });
  }

  private takeEvent(event: StreamEvent, elapsedMs: number): void {
    const step = this.assembler.add(event);
    this.lookForCalls(event, step);
    switch (step.kind) {
      case "none":
        return;
      case "error":
        return this.stop({ kind: "refused", status: step.status, body: step.body });
      case "end":
        if (step.hasContent === true) this.firstContentMs ??= elapsedMs;
        this.isOver = true;
        break;
      case "content":
        this.firstContentMs ??= elapsedMs;
        break;
      case "meta":
        break;
    }
    this.hasBegun = true;
  }

  private lookForCalls({ data }: StreamEvent, step: StreamStep): void {
    const hasContent = step.kind === "content" || (step.kind === "end" && step.hasContent === true);
    for (const call of findCalls(data, this.search)) {
      // A further piece of a call has no name, and often the place of the one before.
      if (call.tool === null && hasContent) continue;
      const isWhole = isRecord(call.args) || textOf(call.args).startsWith("{");
      const key = isWhole ? null : `${call.tool ?? ""} ${call.path}`;
      if (key !== null && this.foundBefore.has(key)) continue;
      if (key !== null) this.foundBefore.add(key);
      this.foundCalls.push(call);
    }
  }

  private stop(end: StreamEnd): void {
    this.stopped = end;
    this.isOver = true;
  }
}

/** A byte order mark is not part of the text. */
function joined(chunks: readonly Uint8Array[]): string {
  return new TextDecoder().decode(Buffer.concat(chunks));
}
