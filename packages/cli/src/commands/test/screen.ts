import { textWidth } from "../../terminal/text-width.js";
import type { OutputStream } from "../../sinks/output-stream.js";

/** stderr as a session of watch mode uses it: what is printed stays, and the prompt below it comes and goes. */
export class Screen {
  readonly #stream: OutputStream;
  readonly #isClearing: boolean;
  readonly #canErase: boolean;
  #shown: readonly string[] = [];

  /** @param canErase - whether the stream is a terminal that understands control sequences */
  constructor(stream: OutputStream, { isClearing, canErase }: { isClearing: boolean; canErase: boolean }) {
    this.#stream = stream;
    this.#isClearing = isClearing;
    this.#canErase = canErase;
  }

  /** Separates a round from the last one: by a line, or with `--clear` by an empty screen. */
  async begin(rule: string): Promise<void> {
    const clear = this.#isClearing && this.#canErase ? "\u001b[H\u001b[2J\u001b[3J" : "";
    await this.print(`${clear}${clear === "" ? "\n" : ""}${rule}\n`);
    this.#shown = [];
  }

  async print(text: string): Promise<void> {
    await this.hide();
    await this.#stream.write(text);
  }

  show(lines: readonly string[]): void {
    // Where nothing can be taken back, the same lines again would say nothing new.
    if (!this.#canErase && lines.join("\n") === this.#shown.join("\n")) return;
    this.#shown = lines;
    void this.#stream.write(lines.map((line) => `${line}\n`).join(""));
  }

  async hide(): Promise<void> {
    if (!this.#canErase || this.#shown.length === 0) return;
    const columns = this.#stream.columns() ?? Number.POSITIVE_INFINITY;
    // A terminal made narrower since then has wrapped them.
    const rows = this.#shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
    this.#shown = [];
    await this.#stream.write(`\r${"\u001b[1A\u001b[2K".repeat(rows)}`);
  }
}
