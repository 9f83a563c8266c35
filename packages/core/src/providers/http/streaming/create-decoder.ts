import type { StreamFraming, StreamEvent } from "../../wire-format.js";
import { maxEventBytes, parseStreamEvent, tooLongEvent, type StreamDecoder, type Decoded } from "./stream-decoder.js";
import { createParser } from "eventsource-parser";
import { crc32 } from "node:zlib";
import { failure, success, type Result } from "../../../result.js";

const errorEvent = "error";

/** Two lengths and their checksum stand before the headers of a frame, the checksum of all of it stands at its end. */
const preludeBytes = 12;
const checksumBytes = 4;

/** Bytes of a header's value by its type; null where two bytes before the value say how long it is. */
const valueBytes: readonly (number | null)[] = [0, 0, 1, 2, 4, 8, null, null, 8, 16];
const textType = 7;

const damaged = "a stream that was damaged on its way";

/** A decoder for one stream. */
export function createDecoder(framing: StreamFraming): StreamDecoder {
  switch (framing) {
    case "sse":
      return createSseDecoder();
    case "ndjson":
      return createNdjsonDecoder();
    case "aws-event-stream":
      return createAwsEventStreamDecoder();
  }
}

/** Server-sent events, as https://html.spec.whatwg.org/multipage/server-sent-events.html defines them. */
export function createSseDecoder(): StreamDecoder {
  const text = new TextDecoder();
  let events: StreamEvent[] = [];
  let problem: string | null = null;
  const add = (name: string | null, data: string): void => {
    // Nothing after the first garbage is believed, and an event without data says nothing.
    if (problem !== null || data.trim() === "") return;
    const parsed = parseStreamEvent(name, data);
    if (parsed.success) events.push(parsed.data);
    else if (name === errorEvent) events.push({ name, data: { error: data } });
    else problem = parsed.error;
  };
  const parser = createParser({
    maxBufferSize: maxEventBytes,
    onEvent: ({ event, data }) => add(event ?? null, data),
    onError({ type, field, value }) {
      if (type === "max-buffer-size-exceeded") problem ??= tooLongEvent;
      // Servers built on llama.cpp send an error in a field of that name instead of an event.
      if (type === "unknown-field" && field === errorEvent) add(errorEvent, value ?? "");
    },
  });
  const feed = (piece: string): Decoded => {
    events = [];
    if (problem !== tooLongEvent) parser.feed(piece);
    return { events, problem };
  };
  return {
    push: (chunk) => feed(text.decode(chunk, { stream: true })),
    end() {
      const before = problem;
      // Some servers leave out the empty line after their last event. Half an event is not garbage but a truncated stream.
      return { ...feed(`${text.decode()}\n\n`), problem: before };
    },
  };
}

/** One JSON object on each line. */
export function createNdjsonDecoder(): StreamDecoder {
  const text = new TextDecoder();
  // Joined only when the line ends: a long line that comes in many pieces must not be copied with each of them.
  let begun: string[] = [];
  let length = 0;
  return {
    push(chunk) {
      const piece = text.decode(chunk, { stream: true });
      const lines = piece.split("\n");
      const rest = lines.pop() ?? "";
      if (lines.length > 0) {
        lines[0] = begun.join("") + (lines[0] ?? "");
        begun = [];
        length = 0;
      }
      begun.push(rest);
      length += rest.length;
      const decoded = parse(lines);
      if (length <= maxEventBytes) return decoded;
      begun = [];
      return { ...decoded, problem: decoded.problem ?? tooLongEvent };
    },
    end() {
      const last = parse([begun.join("") + text.decode()]);
      begun = [];
      // Half a line is not garbage but a truncated stream.
      return { ...last, problem: null };
    },
  };
}

function parse(lines: readonly string[]): Decoded {
  const events: StreamEvent[] = [];
  for (const line of lines) {
    if (line.trim() === "") continue;
    const parsed = parseStreamEvent(null, line);
    if (!parsed.success) return { events, problem: parsed.error };
    events.push(parsed.data);
  }
  return { events, problem: null };
}

/**
 * Frames of `application/vnd.amazon.eventstream`, as
 * https://smithy.io/2.0/aws/amazon-eventstream.html defines them: lengths, headers, payload, two CRC-32 sums. The name
 * of an event is its `:event-type`. Exceptions and errors have their name in `__type` of the data as well, where AWS
 * puts it in the body of an error reply.
 */
export function createAwsEventStreamDecoder(): StreamDecoder {
  let rest: Buffer = Buffer.alloc(0);
  let problem: string | null = null;
  return {
    push(chunk) {
      const events: StreamEvent[] = [];
      rest = Buffer.concat([rest, chunk]);
      while (problem === null && rest.length >= preludeBytes) {
        const length = frameLength(rest);
        if (length === null) problem = damaged;
        else if (length > maxEventBytes) problem = tooLongEvent;
        if (length === null || problem !== null || rest.length < length) break;
        const event = readFrame(rest.subarray(0, length));
        rest = rest.subarray(length);
        if (!event.success) problem = event.error;
        else if (event.data !== null) events.push(event.data);
      }
      return { events, problem };
    },
    // A frame that is not complete was cut off; whether the answer was complete without it is for others to say.
    end: (): Decoded => ({ events: [], problem }),
  };
}

/** Null when the lengths are not what their checksum says. */
function frameLength(bytes: Buffer): number | null {
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) return null;
  const length = bytes.readUInt32BE(0);
  return length < preludeBytes + bytes.readUInt32BE(4) + checksumBytes ? null : length;
}

function readFrame(frame: Buffer): Result<StreamEvent | null, string> {
  const end = frame.length - checksumBytes;
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) return failure(damaged);
  const payloadAt = preludeBytes + frame.readUInt32BE(4);
  const headers = readHeaders(frame.subarray(preludeBytes, payloadAt));
  if (headers === null) return failure("a stream whose event has headers that cannot be read");
  const payload = frame.toString("utf8", payloadAt, end);
  switch (headers.get(":message-type")) {
    case "event":
      return parseStreamEvent(headers.get(":event-type") ?? null, payload === "" ? "{}" : payload);
    case "exception": {
      const name = headers.get(":exception-type") ?? "UnknownException";
      const parsed = parseStreamEvent(name, payload === "" ? "{}" : payload);
      return parsed.success ? success({ name, data: { ...parsed.data.data, __type: name } }) : parsed;
    }
    case "error": {
      const name = headers.get(":error-code") ?? "UnknownError";
      return success({ name, data: { __type: name, message: headers.get(":error-message") ?? "" } });
    }
    default:
      return success(null);
  }
}

/** The headers that are text, the only ones of interest; null when they do not fit their room. */
function readHeaders(bytes: Buffer): ReadonlyMap<string, string> | null {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const type = bytes[nameEnd];
    const fixed = type === undefined ? undefined : valueBytes[type];
    if (fixed === undefined) return null;
    const valueAt = nameEnd + (fixed === null ? 3 : 1);
    if (valueAt > bytes.length) return null;
    const valueEnd = valueAt + (fixed ?? bytes.readUInt16BE(nameEnd + 1));
    if (valueEnd > bytes.length) return null;
    if (type === textType)
      headers.set(bytes.toString("utf8", at + 1, nameEnd), bytes.toString("utf8", valueAt, valueEnd));
    at = valueEnd;
  }
  return headers;
}
