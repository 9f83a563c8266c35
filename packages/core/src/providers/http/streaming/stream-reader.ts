import { withDetails, type KindlmError } from "../../../errors/kindlm-error.js";
import type { StreamAssembler, StreamEvent, StreamStep } from "../../wire-format.js";
import { isRecord, textOf } from "../../../values/json.js";
import { findCalls, type CallSearch, type FoundCall } from "../../../transcript/find-calls.js";
import { maxBodyBytes } from "../decode-body.js";
import { tooLongEvent, type Decoded, type StreamDecoder } from "./stream-decoder.js";

/** How a stream came to its end. */
export type StreamEnd =
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
