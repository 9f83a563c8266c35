import { StringDecoder } from "node:string_decoder";

/** Characters of each stream that are kept from its start, and from its end. */
const mostKept = 16_000;

/** The start and the end of what a program writes to one stream: a model learns most from these. */
export class CapturedOutput {
  readonly #decoder = new StringDecoder("utf8");
  #start = "";
  #end = "";
  #length = 0;

  push(chunk: Uint8Array): void {
    const text = this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    this.#length += text.length;
    const room = mostKept - this.#start.length;
    this.#start += text.slice(0, room);
    if (text.length <= room) return;
    this.#end = (this.#end + text.slice(room)).slice(-mostKept);
  }

  /** There was more than is kept. */
  get isCut(): boolean {
    return this.#length > this.#start.length + this.#end.length;
  }

  text(): string {
    const kept = this.#start.length + this.#end.length;
    const gap = this.isCut ? `…\n[${this.#length - kept} characters are left out]\n…` : "";
    return wholeCharacters(this.#start + gap + this.#end);
  }
}

/** The text with a sign for each character that a cut has halved. */
export function wholeCharacters(text: string): string {
  return Buffer.from(text).toString("utf8");
}
