import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { attempt } from "../../errors/boundary.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { messageOf } from "../../errors/message-of.js";
import { readText } from "../../files/open-for-reading.js";
import { systemCodeOf, writeError } from "../../files/store-error.js";
import { writeAtomically } from "../../files/write-atomically.js";
import { startOfRun } from "../../journal/run-id.js";
import { redacted, type Redactor } from "../../redaction/redactor.js";
import type { Result } from "../../result.js";
import { list, nullable } from "../../shape/compound.js";
import { readStored } from "../../shape/read-stored.js";
import { record } from "../../shape/record.js";
import { oneOf, word } from "../../shape/scalars.js";
import type { Static } from "../../shape/shape.js";
import { parseJson } from "../../values/parse-json.js";

/** Runs that wait; of more than that the oldest are forgotten. */
const mostEntries = 100;
const mostBytes = 10_000;

/**
 * What a later upload of a run cannot find out again: where it ran, and what the user wanted to send. No server: an entry
 * is a file in the project, and a token must not go where such a file says.
 */
const entryShape = record({
  include: list(oneOf(["messages", "transcripts"])),
  ciAttempt: nullable(word),
  branch: nullable(word),
});
export type OutboxEntry = Static<typeof entryShape>;

const leastEntry: OutboxEntry = { include: [], ciAttempt: null, branch: null };

/** The runs whose upload failed: their ids, and no copy of anything. The oldest are sent first. */
export class Outbox {
  readonly #folder: string;
  readonly #redactor: Pick<Redactor, "redactJson">;

  /** @param root - the folder that contains `.kindlm` */
  constructor(root: string, redactor: Pick<Redactor, "redactJson">) {
    this.#folder = path.join(root, ".kindlm", "outbox");
    this.#redactor = redactor;
  }

  /** Fails with STORE_WRITE_ERROR. */
  async add(run: string, entry: OutboxEntry): Promise<Result<void>> {
    const ignored = path.join(this.#folder, ".gitignore");
    const before = await this.#ids();
    if (before.length === 0) await writeAtomically(ignored, ignored, [redacted`*\n`]);
    const file = this.#fileOf(run);
    const written = await writeAtomically(file, file, [this.#redactor.redactJson(JSON.stringify(entry))]);
    const all = await this.#ids();
    for (const old of all.slice(0, Math.max(0, all.length - mostEntries))) await this.remove(old);
    return written;
  }

  async remove(run: string): Promise<Result<void>> {
    const file = this.#fileOf(run);
    return attempt(
      () => rm(file, { force: true }),
      (cause) => writeError(file, cause),
    );
  }

  /** The ID of a run is enough to send its measurements, even if its entry is damaged. */
  async list(): Promise<ReadonlyMap<string, OutboxEntry>> {
    const entries = new Map<string, OutboxEntry>();
    for (const run of await this.#ids()) {
      const entry = await this.#read(run);
      if (entry !== null) entries.set(run, entry);
    }
    return entries;
  }

  /** Null if another process has just sent the run. */
  async #read(run: string): Promise<OutboxEntry | null> {
    const read = await attempt(
      () => readText(this.#fileOf(run), mostBytes),
      (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
    );
    if (!read.success) return systemCodeOf(read.error.cause) === "ENOENT" ? null : leastEntry;
    const parsed = parseJson(read.data);
    const entry = parsed.success ? readStored(entryShape, parsed.data) : parsed;
    return entry.success ? entry.data : leastEntry;
  }

  /** The oldest first: ids begin with the time of the start. */
  async #ids(): Promise<readonly string[]> {
    const found = await attempt(
      () => readdir(this.#folder),
      (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
    );
    if (!found.success) return [];
    const ids = found.data.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -".json".length));
    return ids.filter((id) => startOfRun(id) !== null).toSorted();
  }

  #fileOf(run: string): string {
    return path.join(this.#folder, `${run}.json`);
  }
}
