import { isRecord, textOf } from "../values/json.js";

/** The tool's answer as the model received it: a string, or the text in a list of parts; anything else as JSON. */
export function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return "";
  if (!Array.isArray(content)) return JSON.stringify(content);
  const parts: readonly unknown[] = content;
  const texts = parts.flatMap((part) => partText(part));
  return texts.length === 0 && parts.length > 0 && !parts.every(isPicture) ? JSON.stringify(parts) : texts.join("\n");
}

function partText(part: unknown): readonly string[] {
  if (typeof part === "string") return [part];
  if (!isRecord(part)) return [];
  if (typeof part["text"] === "string") return [part["text"]];
  // Bedrock gives data as such.
  return part["json"] === undefined || part["json"] === null ? [] : [JSON.stringify(part["json"])];
}

function isPicture(part: unknown): boolean {
  return isRecord(part) && (/image|media|file/.test(textOf(part["type"])) || isRecord(part["image"]));
}

/** The `output` of the AI SDK, which names what it is; null for what is none. */
export function namedOutput(output: unknown): { content: string; isError: boolean } | null {
  if (!isRecord(output)) return null;
  const { type, value, reason } = output;
  switch (type) {
    case "text":
    case "json":
    case "content":
      return { content: resultText(value), isError: false };
    case "error-text":
    case "error-json":
      return { content: resultText(value), isError: true };
    case "execution-denied":
      return { content: textOf(reason) || "The call was denied", isError: true };
    default:
      return null;
  }
}
