import { isList, isRecord } from "../values/json.js";
import { kindlmVersion } from "../version.js";
import type { AttributeValue, SentAttributes, SentSpan } from "./sent-span.js";

const kinds = { internal: 1, client: 3 } as const;

/** An export request as OTLP/JSON has it. */
export function renderRequest(spans: readonly SentSpan[], resource: SentAttributes): object {
  const scope = { name: "kindlm", version: kindlmVersion };
  const attributes = renderAttributes({ "service.name": "kindlm", ...resource });
  return { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope, spans: spans.map(renderSpan) }] }] };
}

function renderSpan({ traceId, spanId, parentId, name, kind, startMs, endMs, ...span }: SentSpan): object {
  const { attributes, events = [], links = [], error } = span;
  return {
    traceId,
    spanId,
    ...(parentId === null ? {} : { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)),
    attributes: renderAttributes(attributes),
    ...(events.length === 0 ? {} : { events: events.map(({ atMs, ...event }) => renderEvent(event, atMs)) }),
    ...(links.length === 0 ? {} : { links }),
    ...(error === undefined ? {} : { status: { code: 2, message: error } }),
  };
}

function renderEvent({ name, attributes }: { name: string; attributes: SentAttributes }, atMs: number): object {
  return { timeUnixNano: nanoseconds(atMs), name, attributes: renderAttributes(attributes) };
}

/** More digits than a number has. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1_000_000)));
}

function renderAttributes(attributes: SentAttributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: renderValue(value) }],
  );
}

function renderValue(value: Exclude<AttributeValue, undefined>): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if ("double" in value) return { doubleValue: value.double };
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}

type Kind = "text" | "id" | "fixed64" | "int" | "bool" | "double" | Message;

interface Field {
  number: number;
  kind: Kind;
}

interface Message {
  readonly [name: string]: Field;
}

const anyValue: Message = {
  stringValue: { number: 1, kind: "text" },
  boolValue: { number: 2, kind: "bool" },
  intValue: { number: 3, kind: "int" },
  doubleValue: { number: 4, kind: "double" },
  arrayValue: { number: 5, kind: { values: { number: 1, kind: { stringValue: { number: 1, kind: "text" } } } } },
};
const keyValue: Message = { key: { number: 1, kind: "text" }, value: { number: 2, kind: anyValue } };
const link: Message = { traceId: { number: 1, kind: "id" }, spanId: { number: 2, kind: "id" } };
const event: Message = {
  timeUnixNano: { number: 1, kind: "fixed64" },
  name: { number: 2, kind: "text" },
  attributes: { number: 3, kind: keyValue },
};
const span: Message = {
  traceId: { number: 1, kind: "id" },
  spanId: { number: 2, kind: "id" },
  parentSpanId: { number: 4, kind: "id" },
  name: { number: 5, kind: "text" },
  kind: { number: 6, kind: "int" },
  startTimeUnixNano: { number: 7, kind: "fixed64" },
  endTimeUnixNano: { number: 8, kind: "fixed64" },
  attributes: { number: 9, kind: keyValue },
  events: { number: 11, kind: event },
  links: { number: 13, kind: link },
  status: { number: 15, kind: { message: { number: 2, kind: "text" }, code: { number: 3, kind: "int" } } },
};
const scopeSpans: Message = {
  scope: { number: 1, kind: { name: { number: 1, kind: "text" }, version: { number: 2, kind: "text" } } },
  spans: { number: 2, kind: span },
};
const resourceSpans: Message = {
  resource: { number: 1, kind: { attributes: { number: 1, kind: keyValue } } },
  scopeSpans: { number: 2, kind: scopeSpans },
};
const request: Message = { resourceSpans: { number: 1, kind: resourceSpans } };

/** An export request in Protocol Buffers, from what it is in JSON. The numbers of the fields are those of OTLP. */
export function encodeRequest(written: object): Buffer {
  return encodeMessage(written, request);
}

function encodeMessage(written: unknown, message: Message): Buffer {
  if (!isRecord(written)) return Buffer.alloc(0);
  const parts: Buffer[] = [];
  for (const [name, { number, kind }] of Object.entries(message)) {
    const value = written[name];
    if (value === undefined) continue;
    for (const one of isList(value) ? value : [value]) parts.push(...encodeField(number, kind, one));
  }
  return Buffer.concat(parts);
}

function encodeField(number: number, kind: Kind, value: unknown): readonly Buffer[] {
  const tag = (wire: number): Buffer => varint(BigInt(number * 8 + wire));
  if (kind === "int" || kind === "bool") return [tag(0), varint(BigInt.asUintN(64, BigInt(Number(value))))];
  if (kind === "double" || kind === "fixed64") {
    const bytes = Buffer.alloc(8);
    if (kind === "double") bytes.writeDoubleLE(Number(value));
    else bytes.writeBigUInt64LE(BigInt(String(value)));
    return [tag(1), bytes];
  }
  const bytes =
    kind === "text" || kind === "id"
      ? Buffer.from(String(value), kind === "id" ? "hex" : "utf8")
      : encodeMessage(value, kind);
  return [tag(2), varint(BigInt(bytes.length)), bytes];
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
