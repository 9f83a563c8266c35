import { stat } from "node:fs/promises";
import path from "node:path";
import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { mebibyte, openForReading, UnreadableFile } from "../files/open-for-reading.js";
import { readLines, type LinePlace, type PlacedLine } from "../files/read-lines.js";
import { systemCodeOf } from "../files/store-error.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { createLineReader } from "../journal/line-reader.js";
import { runFolderAt } from "../journal/run-folder.js";
import { success, type Result } from "../result.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { LineProblem } from "../transcript-import/line-problem.js";
import { parseTranscriptLine, type TranscriptLine } from "../transcript-import/parse-transcript-line.js";

/** A stream of transcripts, such as what is piped into a program. It can be read once, so that all of it is held. */
export interface TranscriptStream {
  /** As people are to see it. */
  name: string;
  chunks: AsyncIterable<Uint8Array>;
}

/** Lines that can be gone through, and looked at again one by one. */
export interface TranscriptSource {
  /** As the user typed it. */
  shown: string;
  lines(): AsyncIterable<PlacedLine>;
  read(place: LinePlace): Result<string>;
  /** Reads a line as a conversation. Fails with all problems of it. */
  parse(line: string): Result<TranscriptLine, readonly LineProblem[]>;
  /** Set if the lines are traces. */
  isTraced?: true;
  /** What people are to know of it once all lines were read. */
  warnings?: readonly Diagnostic[];
}

/** Cases are scored in the order of the config, so that the lines may be looked at in any. */
const windowBytes = 65_536;

/** A stream is held as a whole; what is longer belongs into a file. */
const mostHeldBytes = 1_024 * mebibyte;

/** Opens a file, the journal of a run folder, or a stream. Fails with TRANSCRIPT_INVALID. */
export async function openTranscripts(
  wanted: string | TranscriptStream,
  cwd: string,
): Promise<Result<TranscriptSource>> {
  if (typeof wanted !== "string") return holdStream(wanted);
  const found = await attempt(
    () => stat(path.resolve(cwd, wanted)),
    (cause) => unreadable(wanted, cause),
  );
  if (!found.success) return found;
  const named = path.resolve(cwd, wanted);
  const file = found.data.isDirectory() ? runFolderAt(named).journal : named;
  const opened = await attempt(
    async () => (await openForReading(file)).close(),
    (cause) => unreadable(wanted, cause),
  );
  if (!opened.success) return opened;
  return success(sourceAt(wanted, file, windowBytes));
}

/** `bytesAtOnce`: how much is read at once; see {@link createLineReader}. */
export function sourceAt(shown: string, file: string, bytesAtOnce?: number): TranscriptSource {
  const { read } = createLineReader(file, bytesAtOnce);
  return { shown, lines: () => readLines(file), read, parse: parseTranscriptLine };
}

async function holdStream({ name, chunks }: TranscriptStream): Promise<Result<TranscriptSource>> {
  const held = await attempt(
    async () => {
      const pieces: Uint8Array[] = [];
      let length = 0;
      for await (const chunk of chunks) {
        pieces.push(chunk);
        length += chunk.length;
        if (length > mostHeldBytes)
          await Promise.reject(new UnreadableFile(`is larger than ${mostHeldBytes / mebibyte} MiB`));
      }
      return Buffer.concat(pieces);
    },
    (cause) => unreadable(name, cause),
  );
  if (!held.success) return held;
  const all = held.data;
  async function* whole(): AsyncIterable<Uint8Array> {
    yield all;
  }
  return success({
    shown: name,
    lines: () => readLines(whole()),
    read: ({ offset, length }) => success(all.toString("utf8", offset, offset + length)),
    parse: parseTranscriptLine,
  });
}

export function unreadable(shown: string, cause: unknown): KindlmError {
  const isMissing = systemCodeOf(cause) === "ENOENT";
  const message = isMissing ? `File not found: ${shown}` : `Cannot read ${shown}: ${messageOf(cause)}`;
  return kindlmError("TRANSCRIPT_INVALID", message, { details: { path: shown, diagnostics: [] }, cause });
}
