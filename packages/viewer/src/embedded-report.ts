import { damaged } from "./parse-report.js";
import { mountReport } from "./mount-report.js";

declare global {
  interface Uint8ArrayConstructor {
    fromBase64?(coded: string): Uint8Array<ArrayBuffer>;
  }
}

/**
 * The page as it is in a file: its data is in inert scripts of that file, `report-index` and `report-chunk-0` and on,
 * deflated without a header and written in base64. It appears in `report`, in place of a summary for readers whose
 * server allows no scripts.
 */
async function inflate(id: string): Promise<string> {
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

const root = document.getElementById("report");
if (root !== null) {
  void mountReport(root, {
    readIndex: () => inflate("report-index"),
    readChunk: (number) => inflate(`report-chunk-${number}`),
  });
}
