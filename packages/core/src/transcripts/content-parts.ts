import type { ContentPart, UserMessage } from "../transcript/message.js";
import { isRecord, textOf } from "../values/json.js";

/** Parts of these types are texts, in whatever provider's form. */
const textTypes: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text"]);

/** The text of a content: a string, or a list of parts whose texts are joined; null where it is neither. */
export function textOfContent(content: unknown, separator = ""): string | null {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  if (!Array.isArray(content)) return null;
  const parts: readonly unknown[] = content;
  return parts.flatMap((part) => (isTextPart(part) ? [textOf(part["text"])] : [])).join(separator);
}

/** What a user said: a text where there is nothing else, parts where there are pictures; null where it is neither. */
export function userContentOf(content: unknown): UserMessage["content"] | null {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  const written: readonly unknown[] = content;
  const parts = written.flatMap((part): readonly ContentPart[] => {
    if (isTextPart(part)) return [{ type: "text", text: textOf(part["text"]) }];
    const image = isRecord(part) ? imageOf(part) : null;
    return image === null ? [] : [image];
  });
  if (parts.some(({ type }) => type === "image")) return parts;
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function isTextPart(part: unknown): part is Record<string, unknown> {
  return isRecord(part) && textTypes.has(part["type"]);
}

/** OpenAI: `image_url` with an address, or an object that has one. Anthropic and KindLM: `image` with a `source`. */
function imageOf(part: Record<string, unknown>): ContentPart | null {
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
