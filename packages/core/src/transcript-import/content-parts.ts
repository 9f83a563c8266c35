import type { ContentPart, UserMessage } from "../transcript/message.js";
import { isRecord } from "../values/json.js";
import type { Piece } from "./piece.js";

/** A user message: a string if there is nothing else, parts if there are pictures. */
export function userContentFrom(pieces: readonly Piece[]): UserMessage["content"] {
  const parts = pieces.flatMap((piece): readonly ContentPart[] => {
    if (piece.kind === "text") return [{ type: "text", text: piece.text }];
    return piece.kind === "image" ? [piece.image] : [];
  });
  if (parts.some(({ type }) => type === "image")) return parts;
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

/** OpenAI: `image_url` with an address, or an object that has one. Anthropic and KindLM: `image` with a `source`. */
export function imageOf(part: Readonly<Record<string, unknown>>): ContentPart | null {
  if (part["type"] === "image_url" || part["type"] === "input_image") {
    const address = isRecord(part["image_url"]) ? part["image_url"]["url"] : part["image_url"];
    return typeof address === "string" ? imageAt(address) : null;
  }
  if (part["type"] !== "image" || !isRecord(part["source"])) return null;
  const { type, kind = type, url, media_type: written, mediaType = written, data } = part["source"];
  if (kind === "url" && typeof url === "string") return imageAt(url);
  if (typeof mediaType !== "string" || typeof data !== "string") return null;
  return { type: "image", source: { kind: "base64", mediaType, data } };
}

function imageAt(url: string): ContentPart {
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  if (inline === null) return { type: "image", source: { kind: "url", url } };
  return { type: "image", source: { kind: "base64", mediaType: inline[1] ?? "", data: inline[2] ?? "" } };
}
