import { StringDecoder } from "node:string_decoder";
import { wholeCharacters } from "./captured-output.js";

/** Characters that are kept, and that one reading returns. */
const mostKept = 1_000_000;
const mostRead = 32_000;

/** What {@link OutputLog.read} found. */
export interface LogPart {
  output: string;
  /** Where the next reading goes on. */
  nextOffset: number;
  /** There is more after it, or what was asked for is no longer kept. */
  truncated: boolean;
}

/** The last part of what a program writes to both of its streams, by offset in characters. */
export class OutputLog {
  readonly #decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  #text = "";
  /** How many characters before `#text` are lost. */
  #lost = 0;

  push(stream: "stdout" | "stderr", chunk: Uint8Array): void {
    this.#text += this.#decoders[stream].write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    // Not at each chunk, since each time all of the text is copied.
    if (this.#text.length <= 2 * mostKept) return;
    this.#lost += this.#text.length - mostKept;
    this.#text = this.#text.slice(-mostKept);
  }

  read(offset: number): LogPart {
    const from = Math.min(Math.max(offset - this.#lost, 0), this.#text.length);
    const output = this.#text.slice(from, from + mostRead);
    const hasMore = from + output.length < this.#text.length;
    const shown = `${offset < this.#lost ? "…" : ""}${output}${hasMore ? "…" : ""}`;
    return {
      output: wholeCharacters(shown),
      nextOffset: this.#lost + from + output.length,
      truncated: hasMore || offset < this.#lost,
    };
  }
}
