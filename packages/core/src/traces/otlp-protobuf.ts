import { attemptSync } from "../errors/boundary.js";
import type { Result } from "../result.js";
import type { JsonValue } from "../values/json.js";
import { failureOf } from "./otlp-json.js";
import type { Attributes, Span, SpanEvent } from "./span.js";

/** A message ended in the middle of a field, or is not a message. */
class Malformed extends Error {}

/** Deeper values are not attributes of anyone who means well. */
const mostDepth = 40;

interface Field {
  number: number;
  bytes: Buffer;
  /** Of a field that is not bytes; a double is not read as a number here. */
  bits: bigint;
}

const none = Buffer.alloc(0);

/** The fields of a message of Protocol Buffers, in their order. Groups, which OTLP does not have, are rejected. */
function* fieldsOf(message: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[at];
      if (byte === undefined) throw new Malformed();
      at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw new Malformed();
  };
  const take = (length: number): Buffer => {
    if (length > message.length - at) throw new Malformed();
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = Number(varint());
    const number = Math.floor(tag / 8);
    if (number === 0) throw new Malformed();
    switch (tag % 8) {
      case 0:
        yield { number, bytes: none, bits: varint() };
        break;
      case 1:
        yield { number, bytes: none, bits: take(8).readBigUInt64LE() };
        break;
      case 2:
        yield { number, bytes: take(Number(varint())), bits: 0n };
        break;
      case 5:
        yield { number, bytes: none, bits: BigInt(take(4).readUInt32LE()) };
        break;
      default:
        throw new Malformed();
    }
  }
}

function all(message: Buffer, number: number): readonly Buffer[] {
  return [...fieldsOf(message)].filter((field) => field.number === number).map(({ bytes }) => bytes);
}

/** Reads an `ExportTraceServiceRequest` or `TracesData`, which are encoded alike. The error completes a sentence. */
export function spansOfProtobuf(message: Buffer): Result<readonly Span[], string> {
  return attemptSync(
    () =>
      all(message, 1).flatMap((group) => {
        const resource = attributesIn(all(group, 1).at(-1) ?? none, 1);
        return all(group, 2).flatMap((scope) => all(scope, 2).map((span) => readSpan(span, resource)));
      }),
    () => "is not an OTLP message in Protocol Buffers",
  );
}

function readSpan(message: Buffer, resource: Attributes): Span {
  const fields = [...fieldsOf(message)];
  const last = (number: number): Field | undefined => fields.findLast((field) => field.number === number);
  const id = (number: number): string => (last(number)?.bytes ?? none).toString("hex");
  const time = (number: number): number => Number(last(number)?.bits ?? 0n) / 1e6;
  if (id(1).length !== 32 || id(2).length !== 16) throw new Malformed();
  const events = all(message, 11).map((event): SpanEvent => ({
    name: all(event, 2).at(-1)?.toString("utf8") ?? "",
    attributes: attributesIn(event, 3),
  }));
  const status = [...fieldsOf(last(15)?.bytes ?? none)];
  const isError = status.findLast(({ number }) => number === 3)?.bits === 2n;
  const said = status.findLast(({ number }) => number === 2)?.bytes.toString("utf8") ?? "";
  return {
    traceId: id(1),
    spanId: id(2),
    parentId: /^0*$/.test(id(4)) ? null : id(4),
    name: (last(5)?.bytes ?? none).toString("utf8"),
    startMs: time(7),
    endMs: time(8),
    attributes: attributesIn(message, 9),
    resource,
    events,
    links: all(message, 13).flatMap((link) => all(link, 1).map((one) => one.toString("hex"))),
    error: isError ? failureOf(said, events) : null,
    dropped: Number(last(10)?.bits ?? 0n),
  };
}

/** The key-value pairs under a field. */
function attributesIn(message: Buffer, number: number, depth = 0): Attributes {
  if (depth > mostDepth) throw new Malformed();
  return new Map(
    all(message, number).map((pair) => {
      const value = all(pair, 2).at(-1);
      return [all(pair, 1).at(-1)?.toString("utf8") ?? "", value === undefined ? null : valueOf(value, depth)];
    }),
  );
}

function valueOf(message: Buffer, depth: number): JsonValue {
  if (depth > mostDepth) throw new Malformed();
  const field = [...fieldsOf(message)].at(-1);
  if (field === undefined) return null;
  switch (field.number) {
    case 1:
      return field.bytes.toString("utf8");
    case 2:
      return field.bits !== 0n;
    case 3:
      return Number(BigInt.asIntN(64, field.bits));
    case 4: {
      const room = Buffer.alloc(8);
      room.writeBigUInt64LE(field.bits);
      return room.readDoubleLE();
    }
    case 5:
      return all(field.bytes, 1).map((item) => valueOf(item, depth + 1));
    case 6:
      return Object.fromEntries(attributesIn(field.bytes, 1, depth + 1));
    default:
      return field.bytes.toString("base64");
  }
}
