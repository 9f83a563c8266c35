import type { Diagnostic } from "../errors/error-table.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { plural } from "../values/plural.js";
import type { LineProblem } from "./line-problem.js";

/** What is wrong with the lines of files, until there is so much of it that reading on makes no sense. */
export interface LineProblems {
  /** `line` counts from 1. Returns false when no further line has to be read. */
  add(file: string, line: number, problems: readonly LineProblem[]): boolean;
  /** TRANSCRIPT_INVALID with all of it; null if there is nothing. */
  error(): KindlmError | null;
}

/** A file with more of them is not what it was taken for, and may be larger than memory. */
const mostLines = 10_000;

/** `what`: what the lines are, such as `labels`; `files`: where they come from, as the user typed it. */
export function createLineProblems(what: string, files: readonly string[]): LineProblems {
  const diagnostics: Diagnostic[] = [];
  let lines = 0;
  return {
    add: (file, line, problems) => {
      if (lines === mostLines) return false;
      if (problems.length > 0) lines += 1;
      const isLast = lines === mostLines;
      const told = isLast ? [...problems, { message: `Reading stopped after ${mostLines} such lines` }] : problems;
      for (const { message, hint } of told) {
        const diagnostic: Diagnostic = { code: "TRANSCRIPT_INVALID", severity: "error", message };
        if (hint !== undefined) diagnostic.hint = hint;
        diagnostic.position = { file, line, column: 1, length: 1 };
        diagnostics.push(diagnostic);
      }
      return !isLast;
    },
    error: () => {
      if (lines === 0) return null;
      const message = `${plural(lines, "line")} of the ${what} cannot be used`;
      return kindlmError("TRANSCRIPT_INVALID", message, { details: { path: files.join(", "), diagnostics } });
    },
  };
}
