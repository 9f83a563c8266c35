import { attempt } from "../errors/boundary.js";
import { failure, success, type Result } from "../result.js";
import { openTranscripts, unreadable, type TranscriptStream } from "../score/transcript-source.js";
import { createLineProblems } from "../transcript-import/create-line-problems.js";
import type { LabelPlace } from "./calibration-report.js";
import { parseLabelLine, type LabelLine } from "./parse-label-line.js";

export interface Label extends LabelLine, LabelPlace {
  /** The line itself; what tells it from others wherever it stands. */
  text: string;
}

/** Reads files of labels. Fails with TRANSCRIPT_INVALID if a line cannot be used, and lists all such lines. */
export async function readLabels(
  files: readonly (string | TranscriptStream)[],
  cwd: string,
): Promise<Result<readonly Label[]>> {
  const labels: Label[] = [];
  const names = files.map((file) => (typeof file === "string" ? file : file.name));
  const problems = createLineProblems("labels", names);
  for (const wanted of files) {
    // The order of the files is that of the report.
    const opened = await openTranscripts(wanted, cwd);
    if (!opened.success) return opened;
    const { shown, lines } = opened.data;
    const readAll = async (): Promise<void> => {
      let number = 0;
      for await (const { line } of lines()) {
        number += 1;
        const text = line.replace(/^\uFEFF/, "").trim();
        if (text === "") continue;
        const parsed = parseLabelLine(text);
        if (parsed.success) labels.push({ ...parsed.data, text, file: shown, line: number });
        else if (!problems.add(shown, number, parsed.error)) return;
      }
    };
    const read = await attempt(readAll, (cause) => unreadable(shown, cause));
    if (!read.success) return read;
  }
  const error = problems.error();
  return error === null ? success(labels) : failure(error);
}
