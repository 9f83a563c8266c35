import { createHash } from "node:crypto";
import { isList, isRecord } from "../../values/json.js";

/** The keys under which results of the protocol hold content, and so perhaps bytes. */
const holders: ReadonlySet<string> = new Set(["content", "contents", "messages", "resource"]);

/** A result with the length and the SHA-256 digest in place of the bytes of images, sounds and files. */
export function withoutBytes(value: unknown): unknown {
  if (isList(value)) return value.map(withoutBytes);
  if (!isRecord(value)) return value;
  const { data, blob, ...rest } = value;
  const isMedia = value["type"] === "image" || value["type"] === "audio";
  if (isMedia && typeof data === "string") return { ...rest, ...digestOf(data) };
  if (typeof blob === "string" && typeof value["uri"] === "string") return { ...rest, ...digestOf(blob) };
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, holders.has(key) ? withoutBytes(member) : member]),
  );
}

function digestOf(base64: string): { bytes: number; sha256: string } {
  const bytes = Buffer.from(base64, "base64");
  return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}
