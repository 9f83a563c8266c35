import { parseDetail } from "../parse-report.js";
import type { ReportSource } from "../report-data.js";
import type { ReportDetail } from "../report-detail.js";

/** Forty chunks are a few megabytes. */
const mostKept = 40;

/** The text of chunks that were read last. */
export class ChunkCache {
  readonly #source: ReportSource;
  readonly #size: number;
  readonly #chunks = new Map<number, Promise<string>>();

  constructor(source: ReportSource, size: number) {
    this.#source = source;
    this.#size = size;
  }

  async detail(place: number): Promise<ReportDetail> {
    const text = await this.#kept(Math.floor(place / this.#size));
    return parseDetail(text.split("\n")[place % this.#size] ?? "");
  }

  /** The text of a chunk. One that a search passes through is not kept, since it would push out those that are read. */
  async passing(number: number): Promise<string> {
    return this.#chunks.get(number) ?? this.#source.readChunk(number);
  }

  #kept(number: number): Promise<string> {
    const known = this.#chunks.get(number);
    const read = known ?? this.#source.readChunk(number);
    this.#chunks.delete(number);
    this.#chunks.set(number, read);
    for (const oldest of this.#chunks.keys()) {
      if (this.#chunks.size <= mostKept) break;
      this.#chunks.delete(oldest);
    }
    // What failed once, such as for a server that was away, is tried again at the next request.
    read.catch(() => this.#chunks.delete(number));
    return read;
  }
}
