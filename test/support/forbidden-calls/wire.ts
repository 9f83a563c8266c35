import { eventFrame } from "../fake-models/bedrock.js";
import type { Dice } from "./dice.js";

export type Json = Record<string, unknown>;

/** How the messages of a reply are told apart; `json` for a reply that is one message. */
export type Framing = "json" | "sse" | "ndjson" | "aws-event-stream";

/** One message of a reply. `data` is text for what is no JSON, such as `[DONE]`. */
export interface WireMessage {
  name: string | null;
  data: unknown;
}

/** A reply as its bytes go over the wire. */
export interface Wire {
  framing: Framing;
  messages: WireMessage[];
}

export function copyOf({ framing, messages }: Wire): Wire {
  return { framing, messages: messages.map(({ name, data }) => ({ name, data: copyOfValue(data) })) };
}

/** A copy of a JSON value; `structuredClone` takes ten times as long. */
export function copyOfValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOfValue);
  if (typeof value !== "object" || value === null) return value;
  const copy: Json = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key !== "__proto__") copy[key] = copyOfValue(inner);
    else
      Object.defineProperty(copy, key, {
        value: copyOfValue(inner),
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return copy;
}

/** The messages of a reply that was written by somebody else. `named` has those of Amazon, whose frames are binary. */
export function parseWire(framing: Exclude<Framing, "aws-event-stream">, text: string): Wire {
  switch (framing) {
    case "json":
      return { framing, messages: [{ name: null, data: JSON.parse(text) as unknown }] };
    case "ndjson":
      return {
        framing,
        messages: text
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => ({ name: null, data: JSON.parse(line) as unknown })),
      };
    case "sse":
      return {
        framing,
        messages: text
          .split("\n\n")
          .filter((frame) => frame !== "")
          .map(parseFrame),
      };
  }
}

function parseFrame(frame: string): WireMessage {
  const lines = frame.split("\n");
  const field = (name: string): string | null => {
    const line = lines.find((one) => one.startsWith(`${name}: `));
    return line === undefined ? null : line.slice(name.length + 2);
  };
  const data = field("data") ?? "";
  return { name: field("event"), data: data.startsWith("{") ? (JSON.parse(data) as unknown) : data };
}

/** The bytes of a reply. White space and comments that mean nothing are strewn in where `dice` says so. */
export function encodeWire({ framing, messages }: Wire, dice: Dice): Buffer {
  switch (framing) {
    case "json":
      return Buffer.from((dice.chance(0.05) ? "\uFEFF" : "") + messages.map(textOf).join(""));
    case "ndjson":
      return Buffer.from(messages.map((message) => `${textOf(message)}${dice.chance(0.1) ? "\r\n" : "\n"}`).join(""));
    case "sse":
      return Buffer.from(messages.map((message) => frameOf(message, dice)).join(""));
    case "aws-event-stream":
      return Buffer.concat(messages.map(({ name, data }) => eventFrame([name ?? "", data as Json])));
  }
}

function textOf({ data }: WireMessage): string {
  return typeof data === "string" ? data : JSON.stringify(data);
}

function frameOf(message: WireMessage, dice: Dice): string {
  const end = dice.chance(0.1) ? "\r\n" : "\n";
  const name = message.name === null ? "" : `event: ${message.name}${end}`;
  const comment = dice.chance(0.05) ? `: ping${end}` : "";
  return `${comment}${name}data: ${textOf(message)}${end}${end}`;
}

/** The bytes as they come in from the network: cut anywhere, inside of characters too. */
export function cutIntoChunks(bytes: Buffer, dice: Dice): readonly Buffer[] {
  if (dice.chance(0.5)) return [bytes];
  const chunks: Buffer[] = [];
  const longest = dice.pick([3, 40, 400]);
  for (let at = 0; at < bytes.length;) {
    const length = 1 + dice.int(longest);
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return chunks;
}
