import { rm } from "node:fs/promises";
import { attempt } from "../errors/boundary.js";
import { lockFile } from "../files/lock-file.js";
import { writeError } from "../files/store-error.js";
import { writeAtomically } from "../files/write-atomically.js";
import type { Redactor } from "../redaction/redactor.js";
import { failure, success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import type { BaselineEntry, BaselineHeader } from "./baseline.js";
import type { BaselinePlace } from "./baseline-place.js";
import { isBeyondReach, loadBaseline, type LoadedBaseline } from "./load-baseline.js";
import { renderBaseline } from "./render-baseline.js";

/** What a file is to hold. */
export interface BaselineContent {
  header: BaselineHeader;
  entries: ReadonlyMap<string, BaselineEntry>;
}

/**
 * Changes a baseline as it stands now: who else sets it at the same time loses nothing. It is replaced whole or not at
 * all. Fails with STORE_WRITE_ERROR, and with BASELINE_CORRUPT where a file that is there cannot even be read.
 */
export async function changeBaseline<T>(
  place: BaselinePlace,
  { clock, redactor }: { clock: Clock; redactor: Pick<Redactor, "redactJson"> },
  update: (present: LoadedBaseline) => { content: BaselineContent; outcome: T },
): Promise<Result<T>> {
  const locked = await lockFile(place.path, place.shown, clock);
  if (!locked.success) return locked;
  const present = await loadBaseline(place);
  if (isBeyondReach(present)) {
    await locked.data();
    return failure(present.error);
  }
  const { content, outcome } = update(present);
  const pieces = renderBaseline(content.header, content.entries.values(), redactor.redactJson);
  const written = await writeAtomically(place.path, place.shown, pieces);
  await locked.data();
  return written.success ? success(outcome) : written;
}

/** A file that is not there is none that has to go. Fails with STORE_WRITE_ERROR. */
export function removeBaseline({ path, shown }: BaselinePlace): Promise<Result<void>> {
  return attempt(
    () => rm(path, { force: true }),
    (cause) => writeError(shown, cause),
  );
}
