import type { ProviderErrorDetails } from "../../../errors/error-table.js";
import { kindlmError, type KindlmError } from "../../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../../result.js";
import type { StreamAssembler, StreamEvent, StreamFraming, WireFormat } from "../../wire-format.js";
import { classifyFailure, classifyReply, unusableReply } from "../classify.js";
import { checkReply, readJson, toHttpRequest, type JsonPost, type JsonReply, type PostPorts } from "../post-json.js";
import type { ProviderIdentity } from "../provider-identity.js";
import type { HttpReply } from "../transport.js";
import { createDecoder } from "./create-decoder.js";
import type { Decoded, StreamDecoder } from "./stream-decoder.js";

/** A stream that was read to its end. */
export interface StreamedReply extends JsonReply {
  /** From sending the request to the first piece of the answer, milliseconds; null when there was none. */
  timeToFirstTokenMs: number | null;
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
  format: WireFormat["stream"],
  options: { signal: AbortSignal },
): Promise<Result<StreamedReply>> {
  const { http, clock } = ports;
  const decoder = await createDecoder(format.framing);
  const startedAt = clock.monotonic();
  const reader = new StreamReader(decoder, format.createAssembler(), () => clock.monotonic() - startedAt);
  const request = toHttpRequest(post);
  request.openSink = (headers) => (isStream(headers, format.framing) ? reader.push : null);
  const sent = await http.send(request, options);
  if (!sent.success) return failure(reader.explain(classifyFailure(identity, sent.error, clock.now())));
  const checked = checkReply(identity, post, sent.data, clock.now());
  if (!checked.success) return checked;
  const reply = checked.data;
  if (reply.body !== "") {
    // A server that does not stream answers as if it had not been asked to.
    const whole = readJson(identity, reply, clock);
    return whole.success ? success({ ...whole.data, timeToFirstTokenMs: null }) : whole;
  }
  const ended = reader.finish();
  const unusable = (reason: string): Result<never> =>
    failure(reader.explain(unusableReply(identity, reply, reason, clock.now())));
  switch (ended.kind) {
    case "complete":
      return success({ json: ended.json, reply, unusable, timeToFirstTokenMs: reader.firstContentMs });
    case "broken":
      return unusable(ended.problem);
    case "refused": {
      const said: HttpReply = { ...reply, status: ended.status, body: ended.body };
      const refused = checkReply(identity, post, said, clock.now());
      return failure(reader.explain(refused.success ? classifyReply(identity, said, clock.now()) : refused.error));
    }
    case "cut":
      return failure(reader.explain(cutOff(identity)));
  }
}

type StreamEnd =
  | { kind: "complete"; json: Record<string, unknown> }
  | { kind: "broken"; problem: string }
  | { kind: "refused"; status: number; body: string }
  | { kind: "cut" };

/** Feeds an assembler, and remembers how far the stream came. */
class StreamReader {
  firstContentMs: number | null = null;
  private events = 0;
  private stopped: StreamEnd | null = null;
  private isOver = false;
  private readonly decoder: StreamDecoder;
  private readonly assembler: StreamAssembler;
  private readonly elapsedMs: () => number;

  constructor(decoder: StreamDecoder, assembler: StreamAssembler, elapsedMs: () => number) {
    this.decoder = decoder;
    this.assembler = assembler;
    this.elapsedMs = elapsedMs;
  }

  /** A sink: true when nothing more is wanted. */
  readonly push = (chunk: Buffer): boolean => this.take(this.decoder.push(chunk));

  finish(): StreamEnd {
    if (!this.isOver) this.take(this.decoder.end());
    if (this.stopped !== null) return this.stopped;
    const json = this.assembler.finish();
    return json === null ? { kind: "cut" } : { kind: "complete", json };
  }

  /** An error with what the stream had brought before it. */
  explain(error: KindlmError): KindlmError {
    if (this.events === 0) return error;
    const details = { ...error.details, retryable: false, partialText: this.assembler.text };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the spread keeps code and details together
    return { ...error, details } as KindlmError;
  }

  private take({ events, problem }: Decoded): boolean {
    for (const event of events) {
      if (this.isOver) return true;
      this.takeEvent(event);
    }
    if (problem !== null && !this.isOver) this.stop({ kind: "broken", problem });
    return this.isOver;
  }

  private takeEvent(event: StreamEvent): void {
    const step = this.assembler.add(event);
    switch (step.kind) {
      case "none":
        return;
      case "error":
        this.stop({ kind: "refused", status: step.status, body: step.body });
        return;
      case "end":
        this.isOver = true;
        break;
      case "content":
        this.firstContentMs ??= this.elapsedMs();
        break;
      case "meta":
        break;
    }
    this.events += 1;
  }

  private stop(end: StreamEnd): void {
    this.stopped = end;
    this.isOver = true;
  }
}

const jsonTypes = /^application\/(?:[\w.-]+\+)?json\b/i;

/** Anything but plain JSON is taken for the stream that was asked for: servers differ in what they call it. */
function isStream(headers: HttpReply["headers"], framing: StreamFraming): boolean {
  return framing === "ndjson" || !jsonTypes.test(headers["content-type"] ?? "");
}

function cutOff({ name, model }: ProviderIdentity): KindlmError {
  const details: ProviderErrorDetails = { provider: name, model, retryable: true, systemCode: "ECONNRESET" };
  return kindlmError("PROVIDER_NETWORK_ERROR", `Failed to connect to ${name}: the stream ended before the answer did`, {
    details,
  });
}
