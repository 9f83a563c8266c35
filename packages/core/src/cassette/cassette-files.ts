import { rm } from "node:fs/promises";
import { attempt } from "../errors/boundary.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { lockFile } from "../files/lock-file.js";
import { readError, systemCodeOf, writeError } from "../files/store-error.js";
import { writeAtomically } from "../files/write-atomically.js";
import type { Redactor } from "../redaction/redactor.js";
import { failure, success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import type { CassetteContent } from "./cassette-lines.js";
import { parseCassette } from "./parse-cassette.js";
import { renderCassette } from "./render-cassette.js";
import { mebibyte, readText } from "../files/open-for-reading.js";

/** Recordings of a test are committed: what is larger is none. */
export const mostCassetteBytes = 256 * mebibyte;

/** A file of cassettes: where it is, and how people know it. */
export interface CassettePlace {
  /** Absolute. */
  path: string;
  /** From the folder of the config. */
  shown: string;
}

/** What writing a file takes. */
export interface CassetteWriter {
  clock: Clock;
  /** A net only: entries are scrubbed before they become lines. */
  redactor: Pick<Redactor, "redactJson">;
}

/** Reads a file; null when there is none. Fails with STORE_CORRUPT, which names file and line. */
export async function loadCassette(place: CassettePlace): Promise<Result<CassetteContent | null>> {
  const read = await attempt(
    () => readText(place.path, mostCassetteBytes),
    (cause) => readError(place.shown, cause),
  );
  if (!read.success) return systemCodeOf(read.error.cause) === "ENOENT" ? success(null) : read;
  const parsed = parseCassette(read.data);
  if (parsed.success) return parsed;
  const { line, reason } = parsed.error;
  const message = `The cassette ${place.shown} cannot be used: line ${line} ${reason}`;
  return failure(kindlmError("STORE_CORRUPT", message, { details: { path: place.shown, line } }));
}

/**
 * Changes a file as it stands now: who else writes it at the same time loses nothing. It is replaced whole or not at
 * all, and not touched where nothing changes. `update` gives null for a file that is not needed.
 */
export async function changeCassette(
  place: CassettePlace,
  { clock, redactor }: CassetteWriter,
  update: (present: CassetteContent | null) => CassetteContent | null,
): Promise<Result<void>> {
  const locked = await lockFile(place.path, place.shown, clock);
  if (!locked.success) return locked;
  const changed = await replace(place, redactor, update);
  await locked.data();
  return changed;
}

async function replace(
  place: CassettePlace,
  { redactJson }: CassetteWriter["redactor"],
  update: (present: CassetteContent | null) => CassetteContent | null,
): Promise<Result<void>> {
  const loaded = await loadCassette(place);
  if (!loaded.success) return loaded;
  const before = loaded.data === null ? null : renderCassette(loaded.data);
  const content = update(loaded.data);
  const text = content === null || content.cases.size === 0 ? null : renderCassette(content);
  if (text === before) return success(undefined);
  return text === null ? remove(place) : writeAtomically(place.path, place.shown, [redactJson(text)]);
}

function remove(place: CassettePlace): Promise<Result<void>> {
  return attempt(
    () => rm(place.path, { force: true }),
    (cause) => writeError(place.shown, cause),
  );
}
