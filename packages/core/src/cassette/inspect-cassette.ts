import type { CassetteListing, CassetteCheck, PrunedCassette } from "./cassette-report.js";
import { parseCassette, parseCassetteLines, type CassetteLine } from "./parse-cassette.js";
import type { CassetteText } from "./read-cassette-folder.js";
import { hashOf } from "./canonical-request.js";
import { keyOf, type RequestLine, type CassetteContent } from "./cassette-lines.js";
import { cassetteFolder, cassettePath } from "./cassette-path.js";

/** What a file holds, in numbers. */
export function describeCassette({ shown, text }: CassetteText): CassetteListing {
  const parsed = parseCassette(text);
  const nothing = { cases: 0, trials: 0, exchanges: 0, toolCalls: 0, models: [] };
  const bytes = Buffer.byteLength(text);
  if (!parsed.success) {
    const { line, reason } = parsed.error;
    return { file: shown, suite: "", test: "", ...nothing, bytes, problem: `line ${line} ${reason}` };
  }
  const { header, requests, cases } = parsed.data;
  const trials = [...cases.values()].flatMap((ofCase) => [...ofCase.values()]);
  const entries = trials.flat();
  const exchanges = entries.filter((entry) => "exchange" in entry).length;
  const models = [...requests.values()].flatMap(({ provider, model }) =>
    model === undefined ? [] : [`${provider ?? ""}:${model}`],
  );
  return {
    file: shown,
    suite: header.suite,
    test: header.test,
    cases: cases.size,
    trials: trials.length,
    exchanges,
    toolCalls: entries.length - exchanges,
    bytes,
    models: [...new Set(models)].toSorted(),
    problem: null,
  };
}

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
    else problems.push({ line: read.line, message: `is a duplicate of line ${before}` });
    const problem = problemOf(read, shown);
    if (problem !== null) problems.push({ line: read.line, message: problem });
  }
  for (const [index, line] of text.split("\n").entries()) {
    if (redact(line) !== line) problems.push({ line: index + 1, message: "contains something that looks like a key" });
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
    return value.request === keyOfRequest(value) ? null : "was changed: its key belongs to another request";
  return null;
}

function keyOfRequest({ request: _key, ...rest }: RequestLine): string {
  return hashOf(rest);
}

/** The recordings that no case of the config asks for. `runs`: trials of each case by its id. Changes nothing. */
export function findUnused(
  file: string,
  { cases }: CassetteContent,
  runs: ReadonlyMap<string, number>,
): PrunedCassette | null {
  const gone: string[] = [];
  const trials: { case: string; trial: number }[] = [];
  let entries = 0;
  for (const [id, ofCase] of cases) {
    const known = runs.get(id);
    if (known === undefined) gone.push(id);
    for (const [trial, recorded] of ofCase) {
      if (known !== undefined && trial <= known) continue;
      if (known !== undefined) trials.push({ case: id, trial });
      entries += recorded.length;
    }
  }
  if (gone.length === 0 && trials.length === 0) return null;
  return { file, isRemoved: gone.length === cases.size, cases: gone, trials, entries };
}

/** The file without them. */
export function withoutUnused(content: CassetteContent, { cases, trials }: PrunedCassette): CassetteContent {
  for (const id of cases) content.cases.delete(id);
  for (const { case: id, trial } of trials) content.cases.get(id)?.delete(trial);
  return content;
}
