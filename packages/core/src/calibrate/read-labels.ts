import { attempt } from "../errors/boundary.js";
import { failure, success, type Result } from "../result.js";
import { openTranscripts, unreadable, type TranscriptStream } from "../score/transcript-source.js";
import { createLineProblems } from "../transcript-import/create-line-problems.js";
import type { LabelPlace } from "./calibration-report.js";
import type { Trial } from "../transcript/trial.js";
import { deriveTrial } from "../transcript-import/derive-trial.js";
import { readTranscript } from "../transcript-import/parse-transcript-line.js";
import type { LineProblem } from "../transcript-import/line-problem.js";
import { isRecord } from "../values/json.js";
import { nearestName } from "../values/nearest-name.js";
import { bodyRoom, describeJsonProblem, parseJson } from "../values/parse-json.js";

export interface Label extends LabelLine, LabelPlace {
  /** The line itself; what distinguishes it from others wherever it is. */
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

/** A conversation with what a person thinks of it. */
interface LabelLine {
  trial: Trial;
  /** Null where the person gave a score alone. */
  label: "pass" | "fail" | null;
  score: number | null;
  /** In place of those of the assertion; null where the line has none. */
  criteria: string | null;
  reference: string | null;
}

const ownKeys: readonly string[] = ["label", "score", "criteria", "reference", "note", "origin"];
const expected = 'Expected an object such as {"output": "…", "label": "pass"} or {"messages": […], "score": 0.8}';

/** Reads one line of a file of labels. Reports all problems together. */
function parseLabelLine(text: string): Result<LabelLine, readonly LineProblem[]> {
  const parsed = parseJson(text, bodyRoom);
  if (!parsed.success)
    return failure([{ message: `The line is ${describeJsonProblem(parsed.error)}`, hint: expected }]);
  if (!isRecord(parsed.data)) return failure([{ message: "The line is not an object", hint: expected }]);
  // What else a person notes, and where the conversation comes from, decides nothing.
  const { note: _note, origin: _origin, ...stated } = parsed.data;
  const { label: writtenLabel, score: writtenScore, criteria, reference, ...rest } = stated;
  const problems: LineProblem[] = [];
  const label = labelOf(writtenLabel, problems);
  const score = scoreOf(writtenScore, problems);
  if (writtenLabel === undefined && writtenScore === undefined) problems.push(noLabel(rest));
  const own = { criteria: textOf("criteria", criteria, problems), reference: textOf("reference", reference, problems) };
  // The test that it is of plays no part here.
  const test = typeof rest["test"] === "string" ? rest["test"] : "labels";
  const read = readTranscript({ ...rest, test }, { expected, otherKeys: ownKeys });
  if (!read.success) problems.push(...read.error);
  if (!read.success || problems.length > 0) return failure(problems);
  const { told, messages } = read.data;
  return success({ trial: { ...(messages === null ? {} : deriveTrial(messages)), ...told }, label, score, ...own });
}

function labelOf(written: unknown, problems: LineProblem[]): LabelLine["label"] {
  if (written === undefined) return null;
  if (typeof written === "boolean") return written ? "pass" : "fail";
  const text = typeof written === "string" ? written.trim().toLowerCase() : "";
  if (text === "pass" || text === "fail") return text;
  problems.push({ message: '"label" must be "pass", "fail", true or false' });
  return null;
}

function scoreOf(written: unknown, problems: LineProblem[]): number | null {
  if (written === undefined) return null;
  if (typeof written === "number" && written >= 0 && written <= 1) return written;
  problems.push({ message: '"score" must be a number from 0 to 1' });
  return null;
}

function textOf(key: string, written: unknown, problems: LineProblem[]): string | null {
  if (written === undefined || written === null) return null;
  if (typeof written === "string" && written.trim() !== "") return written;
  problems.push({ message: `"${key}" must be a string` });
  return null;
}

function noLabel(rest: Readonly<Record<string, unknown>>): LineProblem {
  const meant = Object.keys(rest).find((key) => ["label", "score"].includes(nearestName(key, ownKeys) ?? ""));
  const message = "The line has neither label nor score";
  if (meant === undefined) return { message, hint: 'Add "label": "pass" or "fail", or "score" from 0 to 1' };
  return { message, hint: `Is "${meant}" meant to be "${nearestName(meant, ownKeys)}"?` };
}
