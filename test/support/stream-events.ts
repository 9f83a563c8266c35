import { EventStreamCodec } from "@smithy/core/event-streams";
import { fromUtf8, toUtf8 } from "@smithy/core/serde";
import { eventFrame } from "./fake-models/bedrock.js";

type Json = Record<string, unknown>;

/** One event of a stream; `data` is null where it is no JSON object, such as `[DONE]`. */
interface StreamedEvent {
  data: Json | null;
  /** Its bytes with other data. */
  encode(data: Json): Buffer;
  bytes: Buffer;
}

const codec = new EventStreamCodec(toUtf8, fromUtf8);

/** Cuts a whole stream into its events, whatever its framing is. */
function eventsOf(stream: Buffer): readonly StreamedEvent[] {
  if (stream[0] === 0) return framesOf(stream);
  const text = stream.toString();
  // Lines of JSON, else server-sent events.
  if (text.startsWith("{")) return text.split(/(?<=\n)/).map((line) => eventOf(line, line.trim(), "", "\n"));
  return text.split(/(?<=\n\n)/).map((event) => {
    const at = event.indexOf("data: ") + "data: ".length;
    return eventOf(event, event.slice(at).trim(), event.slice(0, at), "\n\n");
  });
}

/** The bytes of a stream in which the first event that is JSON has more. */
export function withInFirstEvent(stream: Buffer, more: Json): readonly Buffer[] {
  const events = eventsOf(stream);
  const first = events.findIndex(({ data }) => data !== null);
  return events.map(({ data, bytes, encode }, index) =>
    index === first && data !== null ? encode({ ...data, more }) : bytes,
  );
}

function eventOf(whole: string, json: string, before: string, after: string): StreamedEvent {
  return {
    data: json.startsWith("{") ? (JSON.parse(json) as Json) : null,
    encode: (data) => Buffer.from(`${before}${JSON.stringify(data)}${after}`),
    bytes: Buffer.from(whole),
  };
}

function framesOf(stream: Buffer): readonly StreamedEvent[] {
  const events: StreamedEvent[] = [];
  for (let at = 0; at < stream.length;) {
    const bytes = stream.subarray(at, at + stream.readUInt32BE(at));
    at += bytes.length;
    const { headers, body } = codec.decode(bytes);
    const name = String(headers[":event-type"]?.value);
    events.push({ data: JSON.parse(toUtf8(body)) as Json, encode: (data) => eventFrame([name, data]), bytes });
  }
  return events;
}
