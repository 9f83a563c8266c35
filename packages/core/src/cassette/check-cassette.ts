import { hashOf } from "./canonical-request.js";
import { keyOf, type RequestLine } from "./cassette-lines.js";
import { cassetteFolder, cassettePath } from "./cassette-path.js";
import type { CassetteCheck } from "./cassette-report.js";
import { parseCassette, parseCassetteLines, type CassetteLine } from "./parse-cassette.js";
import type { CassetteText } from "./read-cassette-folder.js";

/**
 * Whether a file is as it is written: every line readable, of this version, in its place, there once, and without
 * anything that looks like a key.
 */
export function checkCassette({ shown, text }: CassetteText, redact: (text: string) => string): CassetteCheck {
  const problems: { line: number; message: string }[] = [];
  const lines = parseCassetteLines(text);
  const whole = parseCassette(text);
  if (!whole.success) problems.push({ line: whole.error.line, message: whole.error.reason });
  const seen = new Map<string, number>();
  for (const read of lines.success ? lines.data : []) {
    const name = nameOf(read);
    const before = seen.get(name);
    if (before === undefined) seen.set(name, read.line);
    else problems.push({ line: read.line, message: `is there twice, also on line ${before}` });
    const problem = problemOf(read, shown);
    if (problem !== null) problems.push({ line: read.line, message: problem });
  }
  for (const [index, line] of text.split("\n").entries()) {
    if (redact(line) !== line) problems.push({ line: index + 1, message: "holds something that looks like a key" });
  }
  return { file: shown, problems: problems.toSorted((a, b) => a.line - b.line) };
}

/** What may be there once only. */
function nameOf({ kind, value }: CassetteLine): string {
  switch (kind) {
    case "header":
      return "header";
    case "tools":
      return `tools ${value.tools}`;
    case "request":
      return `request ${value.request}`;
    case "entry":
      return `entry ${keyOf(value)} ${value.trial} ${value.n} ${value.case}`;
  }
}

function problemOf({ kind, value }: CassetteLine, shown: string): string | null {
  if (kind === "header") {
    const { suite, test } = value;
    const wanted = `${cassetteFolder}/${cassettePath(suite, test)}`.replaceAll("\\", "/");
    return shown === wanted ? null : `names suite "${suite}" and test "${test}", whose file is ${wanted}`;
  }
  if (kind === "request")
    return value.request === keyOfRequest(value) ? null : "was changed: its key is of another request";
  return null;
}

function keyOfRequest({ request: _key, ...rest }: RequestLine): string {
  return hashOf(rest);
}
