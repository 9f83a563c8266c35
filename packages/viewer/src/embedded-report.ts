import { mountReport } from "./mount-report.js";

/**
 * The page as it is in a file: its data is in inert scripts of that file, `report-index` and `report-chunk-0` and on,
 * deflated without a header and written in base64. It appears in `report`, in place of a summary for readers whose
 * server allows no scripts.
 */
async function inflate(id: string): Promise<string> {
  const coded = atob(document.getElementById(id)?.textContent ?? "");
  const bytes = Uint8Array.from(coded, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

const root = document.getElementById("report");
if (root !== null) {
  void mountReport(root, {
    readIndex: () => inflate("report-index"),
    readChunk: (number) => inflate(`report-chunk-${number}`),
  });
}
