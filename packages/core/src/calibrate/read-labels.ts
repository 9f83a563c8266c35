import { attempt } from "../errors/boundary.js";
import type { Diagnostic } from "../errors/diagnostic.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { failure, success, type Result } from "../result.js";
import { openTranscripts, unreadable, type TranscriptStream } from "../score/transcript-source.js";
import type { LineProblem } from "../transcripts/parse-transcript-line.js";
import { plural } from "../values/plural.js";
import type { LabelPlace } from "./calibration-report.js";
import { parseLabelLine, type LabelLine } from "./parse-label-line.js";

export interface Label extends LabelLine, LabelPlace {
  /** The line itself; what tells it from others wherever it stands. */
  text: string;
}

/** More would hide the first ones. */
const mostShown = 50;

/** Reads files of labels. Fails with TRANSCRIPT_INVALID when any line can not be used, and tells of all of them. */
export async function readLabels(
  files: readonly (string | TranscriptStream)[],
  cwd: string,
): Promise<Result<readonly Label[]>> {
  const labels: Label[] = [];
  const problems: Diagnostic[] = [];
  let bad = 0;
  for (const wanted of files) {
    // oxlint-disable-next-line no-await-in-loop -- the order of the files is that of the report
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
        else {
          bad += 1;
          problems.push(...parsed.error.map((problem) => problemAt(shown, number, problem)));
        }
      }
    };
    // oxlint-disable-next-line no-await-in-loop -- as above
    const read = await attempt(readAll, (cause) => unreadable(shown, cause));
    if (!read.success) return read;
  }
  if (bad === 0) return success(labels);
  const left = problems.length - mostShown;
  const shown =
    left > 0 ? [...problems.slice(0, mostShown), problemAt("", null, { message: `and ${left} more` })] : problems;
  const names = files.map((file) => (typeof file === "string" ? file : file.name)).join(", ");
  const message = `${plural(bad, "line")} of the labels can not be used`;
  return failure(kindlmError("TRANSCRIPT_INVALID", message, { details: { path: names, diagnostics: shown } }));
}

function problemAt(file: string, line: number | null, { message, hint }: LineProblem): Diagnostic {
  const diagnostic: Diagnostic = { code: "TRANSCRIPT_INVALID", severity: "error", message };
  if (hint !== undefined) diagnostic.hint = hint;
  if (line !== null) diagnostic.position = { file, line, column: 1, length: 1 };
  return diagnostic;
}
