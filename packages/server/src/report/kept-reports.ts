import type { Database } from "../database/tables.js";

/** Characters of all reports that are kept. */
const mostKept = 40_000_000;
const keepMs = 10 * 60_000;

interface Kept {
  text: Promise<string>;
  size: number;
  untilMs: number;
}

/**
 * Reports that were made last: a person who opens a run reads its report, and a large one takes seconds to make. Each is made
 * once for all who ask at the same time.
 */
class KeptReports {
  readonly #kept = new Map<string, Kept>();

  get(key: string, nowMs: number, make: () => Promise<string>): Promise<string> {
    const known = this.#kept.get(key);
    this.#kept.delete(key);
    const kept =
      known !== undefined && known.untilMs > nowMs ? known : { text: make(), size: 0, untilMs: nowMs + keepMs };
    this.#kept.set(key, kept);
    kept.text.then(
      (text) => {
        kept.size = text.length;
        this.#makeRoom();
      },
      () => this.#kept.delete(key),
    );
    return kept.text;
  }

  #makeRoom(): void {
    let size = [...this.#kept.values()].reduce((sum, kept) => sum + kept.size, 0);
    for (const [key, kept] of this.#kept) {
      if (size <= mostKept || this.#kept.size === 1) return;
      this.#kept.delete(key);
      size -= kept.size;
    }
  }
}

const reports = new WeakMap<Database, KeptReports>();

export function keptReports(database: Database): KeptReports {
  const known = reports.get(database) ?? new KeptReports();
  reports.set(database, known);
  return known;
}
