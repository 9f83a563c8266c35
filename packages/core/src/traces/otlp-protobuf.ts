import { failure, success, type Result } from "../result.js";
import type { JsonValue } from "../values/json.js";
import { failureOf } from "./otlp-json.js";
import type { Attributes, Span, SpanEvent } from "./span.js";

/** Deeper values are not attributes of anyone who means well. */
const mostDepth = 40;

interface Field {
  number: number;
  bytes: Buffer;
  /** Of a field that is not bytes; a double is not read as a number here. */
  bits: bigint;
}

const none = Buffer.alloc(0);

/** Reads an `ExportTraceServiceRequest` or `TracesData`, which are encoded alike. The error completes a sentence. */
export function spansOfProtobuf(message: Buffer): Result<readonly Span[], string> {
  const reader = new OtlpReader();
  const spans = reader.spans(message);
  return reader.isMalformed ? failure("is not an OTLP message in Protocol Buffers") : success(spans);
}

class OtlpReader {
  /** A message ended in the middle of a field, or is none. What was read of it does not count. */
  isMalformed = false;

  spans(message: Buffer): readonly Span[] {
    return this.#all(message, 1).flatMap((group) => {
      const resource = this.#attributes(this.#all(group, 1).at(-1) ?? none, 1);
      return this.#all(group, 2).flatMap((scope) => this.#all(scope, 2).map((span) => this.#span(span, resource)));
    });
  }

  /** The fields of a message in their order. Groups, which OTLP does not have, are rejected. */
  #fields(message: Buffer): readonly Field[] {
    const fields: Field[] = [];
    let at = 0;
    const varint = (): bigint => {
      let value = 0n;
      for (let shift = 0n; shift < 70n; shift += 7n) {
        const byte = message[at];
        if (byte === undefined) break;
        at += 1;
        value |= BigInt(byte & 127) << shift;
        if (byte < 128) return BigInt.asUintN(64, value);
      }
      this.isMalformed = true;
      return 0n;
    };
    const take = (length: number): Buffer => {
      if (length > message.length - at) this.isMalformed = true;
      const start = at;
      at += length;
      return message.subarray(start, at);
    };
    const fixed = (length: 4 | 8): bigint => {
      const bytes = take(length);
      if (bytes.length < length) return 0n;
      return length === 8 ? bytes.readBigUInt64LE() : BigInt(bytes.readUInt32LE());
    };
    while (at < message.length && !this.isMalformed) {
      const tag = Number(varint());
      const number = Math.floor(tag / 8);
      const type = tag % 8;
      if (number === 0 || ![0, 1, 2, 5].includes(type)) this.isMalformed = true;
      else if (type === 2) fields.push({ number, bytes: take(Number(varint())), bits: 0n });
      else fields.push({ number, bytes: none, bits: type === 0 ? varint() : fixed(type === 1 ? 8 : 4) });
    }
    return fields;
  }

  #all(message: Buffer, number: number): readonly Buffer[] {
    return this.#fields(message)
      .filter((field) => field.number === number)
      .map(({ bytes }) => bytes);
  }

  #span(message: Buffer, resource: Attributes): Span {
    const fields = this.#fields(message);
    const last = (number: number): Field | undefined => fields.findLast((field) => field.number === number);
    const id = (number: number): string => (last(number)?.bytes ?? none).toString("hex");
    const time = (number: number): number => Number(last(number)?.bits ?? 0n) / 1e6;
    if (id(1).length !== 32 || id(2).length !== 16) this.isMalformed = true;
    const events = this.#all(message, 11).map((event): SpanEvent => ({
      name: this.#all(event, 2).at(-1)?.toString("utf8") ?? "",
      attributes: this.#attributes(event, 3),
    }));
    const status = this.#fields(last(15)?.bytes ?? none);
    const isError = status.findLast(({ number }) => number === 3)?.bits === 2n;
    const said = status.findLast(({ number }) => number === 2)?.bytes.toString("utf8") ?? "";
    return {
      traceId: id(1),
      spanId: id(2),
      parentId: /^0*$/.test(id(4)) ? null : id(4),
      name: (last(5)?.bytes ?? none).toString("utf8"),
      startMs: time(7),
      endMs: time(8),
      attributes: this.#attributes(message, 9),
      resource,
      events,
      links: this.#all(message, 13).flatMap((link) => this.#all(link, 1).map((one) => one.toString("hex"))),
      error: isError ? failureOf(said, events) : null,
      dropped: Number(last(10)?.bits ?? 0n),
    };
  }

  /** The key-value pairs under a field. */
  #attributes(message: Buffer, number: number, depth = 0): Attributes {
    return new Map(
      this.#all(message, number).map((pair) => {
        const value = this.#all(pair, 2).at(-1);
        return [
          this.#all(pair, 1).at(-1)?.toString("utf8") ?? "",
          value === undefined ? null : this.#value(value, depth),
        ];
      }),
    );
  }

  #value(message: Buffer, depth: number): JsonValue {
    if (depth > mostDepth) this.isMalformed = true;
    const field = this.#fields(message).at(-1);
    if (field === undefined || this.isMalformed) return null;
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
        return this.#all(field.bytes, 1).map((item) => this.#value(item, depth + 1));
      case 6:
        return Object.fromEntries(this.#attributes(field.bytes, 1, depth + 1));
      default:
        return field.bytes.toString("base64");
    }
  }
}
