import { StringDecoder } from "node:string_decoder";

/** A line that is longer than this is not a message. */
export const mostLineChars = 10 * 1024 * 1024;

/** Cuts what arrives in pieces into lines. A line that grows beyond all bounds is handed on as it is then. */
export function createLineSplitter(onLine: (line: string) => void): { push(chunk: Uint8Array): void; end(): void } {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let length = 0;
  const flush = (): void => {
    const line = pieces.join("");
    pieces = [];
    length = 0;
    onLine(line);
  };
  return {
    push(chunk) {
      const parts = decoder.write(Buffer.from(chunk)).split("\n");
      for (const [index, part] of parts.entries()) {
        if (index > 0) flush();
        pieces.push(part);
        length += part.length;
      }
      if (length > mostLineChars) flush();
    },
    end() {
      pieces.push(decoder.end());
      flush();
    },
  };
}
