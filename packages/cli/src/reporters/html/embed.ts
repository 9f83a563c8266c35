import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { deflateRaw } from "node:zlib";

/** The scripts and the style sheet of the page, which the build makes of packages/viewer. */
export interface ViewerAssets {
  /** Starts the page. */
  starter: string;
  /** The page, which is coded like the data: it is smaller then, and nothing in it can look like a secret. */
  app: string;
  style: string;
}

/** Cases in an element. Smaller ones would compress less, larger ones would take longer to open. */
export const chunkSize = 50;
/** Next to the bundle that this file is in. */
const assets = new URL("./viewer.json", import.meta.url);
const deflate = promisify(deflateRaw);
/** By chance it takes more than one only in one of several thousand chunks. */
const mostTries = 100;

export async function readViewer(): Promise<ViewerAssets> {
  const read: unknown = JSON.parse(await readFile(assets, "utf8"));
  return isAssets(read)
    ? read
    : Promise.reject(new Error(`${assets.pathname} does not contain the page of the report`));
}

function isAssets(value: unknown): value is ViewerAssets {
  return typeof value === "object" && value !== null && "starter" in value && "app" in value && "style" in value;
}

/**
 * An inert element with text that is deflated and written in base64, which no markup in it survives. Whatever is written
 * passes the redactor, for which base64 now and then contains the shape of a key by chance; what it would change is
 * coded again with one more space before it, which changes all that follows.
 */
export async function embedText(id: string, text: string, redact: (text: string) => string): Promise<string> {
  for (let spaces = 0; spaces < mostTries; spaces += 1) {
    const coded = (await deflate(" ".repeat(spaces) + text)).toString("base64");
    if (redact(coded) === coded) return `<script type="text/plain" id="${id}">${coded}</script>\n`;
  }
  throw new Error("the data cannot be written without looking like a secret");
}

/**
 * The script as the redactor leaves it alone: if a secret is an ordinary word, such as `document`, this word is written
 * with an escape. Reserved words cannot be; then the hash of the policy is not that of the script, and browsers show the
 * summary alone.
 */
export function keepScript(script: string, redact: (text: string) => string): string {
  if (redact(script) === script) return script;
  const escaped = (word: string): string => {
    if (redact(word) === word) return word;
    return `\\u${word.charCodeAt(0).toString(16).padStart(4, "0")}${word.slice(1)}`;
  };
  return script.replaceAll(/[A-Za-z_$][\w$]{5,}/g, escaped);
}

/** Nothing is loaded from anywhere, and no script or style runs but these. */
export function contentPolicy({ starter, app, style }: ViewerAssets): string {
  const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return [
    "default-src 'none'",
    `script-src ${hashOf(starter)} ${hashOf(app)}`,
    `style-src ${hashOf(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}
