import { signal } from "@preact/signals";
import { mentions } from "../logic/group-trials.js";
import { parseDetail } from "../parse-report.js";
import type { ChunkCache } from "./chunk-cache.js";

export interface SearchProgress {
  text: string;
  /** The cases that contain the text, as far as they were read. */
  found: ReadonlySet<number>;
  chunks: number;
  done: number;
  problem: string | null;
}

/** The search through all transcripts. A new one ends the one before. */
export class TranscriptSearch {
  /** Null without a search. */
  readonly progress = signal<SearchProgress | null>(null);
  readonly #cache: ChunkCache;
  readonly #size: number;
  readonly #cases: number;
  #current = 0;

  constructor(cache: ChunkCache, size: number, cases: number) {
    this.#cache = cache;
    this.#size = size;
    this.#cases = cases;
  }

  /** Searches for a text, the case of its letters ignored; an empty one ends the search. */
  async start(text: string): Promise<void> {
    if (text === (this.progress.peek()?.text ?? "")) return;
    this.#current += 1;
    const own = this.#current;
    const chunks = Math.ceil(this.#cases / this.#size);
    const found = new Set<number>();
    const report = (done: number, problem: string | null = null): void => {
      this.progress.value = { text, found: new Set(found), chunks, done, problem };
    };
    if (text === "") {
      this.progress.value = null;
      return;
    }
    report(0);
    let shownAt = performance.now();
    for (let number = 0; number < chunks; number += 1) {
      const lines = await this.#cache.passing(number).catch(String);
      if (this.#current !== own) return;
      if (typeof lines === "string") {
        report(chunks, lines);
        return;
      }
      for (const place of placesIn(lines, text)) found.add(number * this.#size + place);
      const isSlow = performance.now() - shownAt > 120;
      if (isSlow) {
        report(number + 1);
        shownAt = performance.now();
        // The page draws and answers keys in between.
        await new Promise((resolve) => setTimeout(resolve));
      }
    }
    if (this.#current === own) report(chunks);
  }
}

/** Whether a line can contain the text is quick to see; whether it is text and no name of a field takes parsing it. */
function placesIn(lines: readonly string[], text: string): number[] {
  const written = JSON.stringify(text).slice(1, -1);
  const pattern = new RegExp(written.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), "iu");
  const needle = text.toLowerCase();
  return lines.flatMap((line, place) =>
    pattern.test(line) && mentions(parseDetail(line).trials, needle) ? [place] : [],
  );
}
