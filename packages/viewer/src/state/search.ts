import { signal } from "@preact/signals";
import { mentions } from "../logic/group-trials.js";
import { describeProblem, parseDetail } from "../parse-report.js";
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

  /** Searches for text, the case of its letters ignored; an empty one ends the search. */
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
      const read = await this.#cache.passing(number).then(
        (chunk) => ({ chunk }),
        (problem: unknown) => ({ problem: describeProblem(problem) }),
      );
      if (this.#current !== own) return;
      if ("problem" in read) {
        report(chunks, read.problem);
        return;
      }
      for (const place of placesIn(read.chunk, text.toLowerCase())) found.add(number * this.#size + place);
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

/**
 * The lines of a chunk that contain text in lower case. Whether they can is quick to see; whether it is text and no
 * name of a field takes parsing them.
 */
function placesIn(chunk: string, needle: string): number[] {
  const written = JSON.stringify(needle).slice(1, -1);
  if (!chunk.toLowerCase().includes(written)) return [];
  return chunk
    .split("\n")
    .flatMap((line, place) =>
      line.toLowerCase().includes(written) && mentions(parseDetail(line).trials, needle) ? [place] : [],
    );
}
