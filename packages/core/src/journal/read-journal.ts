import { attempt } from "../errors/boundary.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { readFirstLine } from "../files/read-first-line.js";
import { readLines } from "../files/read-lines.js";
import { readError, systemCodeOf } from "../files/store-error.js";
import { failure, success, type Result } from "../result.js";
import { sayFlaw, type Flaw } from "../shape/shape.js";
import { decodeRecord, type LineFlaw } from "./decode-record.js";
import type { LinePlace } from "./group-appender.js";
import type { JournalHeader, JournalRecord } from "./journal-record.js";

/** The content of a journal besides its records. */
export interface JournalEnd {
  header: JournalHeader;
  /** Bytes up to the end of the last whole line; what follows was torn off in the middle. */
  wholeBytes: number;
}

/**
 * Goes through a journal, record by record. A last line that was torn off is left out. Fails with STORE_CORRUPT where
 * any other line is damaged, or when the journal is of another version.
 */
export async function readJournal(
  path: string,
  shown: string,
  onRecord: (record: JournalRecord, place: LinePlace, line: string) => void,
): Promise<Result<JournalEnd>> {
  let header: JournalHeader | null = null;
  let wholeBytes = 0;
  let number = 0;
  /** A line that is not JSON is a torn one as long as nothing follows it. */
  let torn: number | null = null;
  const read = await attempt(
    async (): Promise<Result<void>> => {
      for await (const { line, place, isWhole } of readLines(path)) {
        if (!isWhole) break;
        number += 1;
        if (torn !== null) return failure(corrupt(shown, torn));
        const decoded = decodeRecord(line);
        if (!decoded.success) {
          if (decoded.error.kind !== "unparseable") return failure(lineError(shown, number, decoded.error));
          torn = number;
          continue;
        }
        const record = decoded.data;
        if (number === 1) {
          if (record.kind !== "run") return failure(corrupt(shown, 1));
          header = record;
        }
        wholeBytes = place.offset + place.length + 1;
        onRecord(record, place, line);
      }
      return success(undefined);
    },
    (cause) => (systemCodeOf(cause) === "ENOENT" ? unstarted(shown) : readError(shown, cause)),
  );
  if (!read.success) return read;
  if (!read.data.success) return read.data;
  if (header !== null) return success({ header, wholeBytes });
  return failure(number === 0 ? unstarted(shown) : corrupt(shown, 1));
}

/** The first line of a journal: what the run is. Fails with STORE_CORRUPT. */
export async function readJournalHeader(path: string, shown: string): Promise<Result<JournalHeader>> {
  const line = await readFirstLine(path);
  if (line === null) return failure(unstarted(shown));
  const decoded = decodeRecord(line);
  if (!decoded.success) return failure(lineError(shown, 1, decoded.error));
  return decoded.data.kind === "run" ? success(decoded.data) : failure(corrupt(shown, 1));
}

/** Why the journal cannot be read on from this line. */
function lineError(shown: string, line: number, flaw: LineFlaw): KindlmError {
  switch (flaw.kind) {
    case "unparseable":
      return corrupt(shown, line);
    case "flawed":
      return corrupt(shown, line, flaw.flaw);
    case "version": {
      const message = `${shown} was written by another version of KindLM (${flaw.writtenBy})`;
      return kindlmError("STORE_CORRUPT", message, { details: { path: shown, writtenBy: flaw.writtenBy } });
    }
  }
}

/** The first line is on the disk before the first trial starts. */
function unstarted(shown: string) {
  const message = `${shown} is empty: the run stopped before it started`;
  return kindlmError("STORE_CORRUPT", message, { details: { path: shown, isUnstarted: true } });
}

function corrupt(shown: string, line: number, flaw?: Flaw) {
  const message = `${shown} is damaged at line ${line}${flaw === undefined ? "" : `: ${sayFlaw(flaw)}`}`;
  return kindlmError("STORE_CORRUPT", message, { details: { path: shown } });
}

/** Nothing was lost of a run that never wrote what it is: no trial of it had started. */
export function isUnstarted(error: KindlmError): boolean {
  return error.code === "STORE_CORRUPT" && error.details?.isUnstarted === true;
}
