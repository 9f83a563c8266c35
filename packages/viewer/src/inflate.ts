import { damaged } from "./parse-report.js";

declare global {
  interface Uint8ArrayConstructor {
    fromBase64?(coded: string): Uint8Array<ArrayBuffer>;
  }
}

/** The text of an inert script of the page: deflated without a header and written in base64. Rejects if it is damaged. */
export async function inflate(id: string): Promise<string> {
  const coded = document.getElementById(id)?.textContent ?? "";
  const bytes = Uint8Array.fromBase64?.(coded) ?? decode(coded);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text().catch(() => {
    // Browsers say that they failed to fetch.
    throw new Error(damaged);
  });
}

/** For browsers from before 2025. */
function decode(coded: string): Uint8Array<ArrayBuffer> {
  const characters = atob(coded);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.charCodeAt(at);
  return bytes;
}
