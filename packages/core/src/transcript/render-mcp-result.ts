import { isList, isRecord, textOf } from "../values/json.js";

/** What a server answered, as text: the structured content where there is one, else the text of its content. */
export function renderResult(result: unknown): string {
  if (!isRecord(result)) return JSON.stringify(result) ?? "";
  const { structuredContent, content, contents, messages } = result;
  if (structuredContent !== undefined) return JSON.stringify(structuredContent);
  if (isList(messages))
    return messages.map((message) => (isRecord(message) ? renderPart(message["content"]) : "")).join("\n");
  const parts = isList(content) ? content : contents;
  return isList(parts) ? parts.map(renderPart).join("\n") : JSON.stringify(result);
}

function renderPart(part: unknown): string {
  if (!isRecord(part)) return "";
  const { type, text, resource, uri, mimeType, bytes } = part;
  if (typeof text === "string") return text;
  if (isRecord(resource)) return renderPart(resource);
  const what = [textOf(type) || "resource", textOf(uri) || textOf(mimeType)].filter((word) => word !== "").join(" ");
  return typeof bytes === "number" ? `[${what}, ${bytes} bytes]` : `[${what}]`;
}
