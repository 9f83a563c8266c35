import type { ContentPart } from "../../transcript/message.js";

/** The image formats that Gemini reads, by the endings of their files. */
const mediaTypes: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  heic: "image/heic",
  heif: "image/heif",
};

/**
 * A piece of a user message. Gemini fetches addresses itself, those of its Files API and public ones; it wants to know
 * the format, which only the name of the file tells here.
 */
export function toGeminiPart(part: ContentPart): Record<string, unknown> {
  if (part.type === "text") return { text: part.text };
  const { source } = part;
  if (source.kind === "base64") return { inlineData: { mimeType: source.mediaType, data: source.data } };
  const mimeType = mediaTypeOf(source.url);
  return { fileData: mimeType === null ? { fileUri: source.url } : { fileUri: source.url, mimeType } };
}

function mediaTypeOf(url: string): string | null {
  const ending = /\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(mediaTypes, ending) ? (mediaTypes[ending] ?? null) : null;
}
