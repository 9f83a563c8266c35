import { readDecisiveTrial, type RunResult, type TestResult } from "@kindlm/core";
import { plural, withCounts } from "@kindlm/core/program";
import { shortReason } from "../../findings/describe-failure.js";
import { findCauses } from "../../findings/find-causes.js";
import { findKinds } from "../../findings/find-kinds.js";
import { shownLine } from "../../terminal/signs.js";
import { headLine, signOf } from "../../transcript/render-case.js";
import type { TranscriptView } from "../../transcript/transcript-view.js";

export interface ListView {
  view: TranscriptView;
  /** The command that lists everything; null if everything is listed. */
  showAll: string | null;
}

interface Finding {
  /** Colored. */
  sign: string;
  number: number;
  title: string;
  cases: readonly TestResult[];
}

interface Listing {
  data: unknown;
  text: string;
}

/** What a list shows of a run of any size, unless everything is wanted. */
const mostKinds = 20;
const mostCauses = 10;
const mostCasesOfKind = 8;
const mostCases = 40;

const order = ["failed", "errored", "skipped", "passed"] as const;

/** The kinds of failures and the causes of errors of a run, each with its cases; the numbers are what `show` takes. */
export async function listFindings(result: RunResult, { view, showAll }: ListView): Promise<Listing> {
  const { palette, redact } = view;
  const kinds = await findKinds(result, redact);
  const causes = findCauses(result, view);
  const widest = String(Math.max(kinds.length, causes.length)).length;
  const indent = " ".repeat(widest + 4);
  const failures = kinds.map(({ number, title, cases }) => {
    return { sign: palette.red("✗"), of: { kind: number }, number, title, cases: cases.map(({ test }) => test) };
  });
  const errors = causes.map(({ number, title, cases }) => {
    return { sign: palette.magenta("!"), of: { cause: number }, number, title, cases };
  });
  const draw = ({ sign, number, title, cases }: Finding): string => {
    const shown = showAll === null ? cases : cases.slice(0, mostCasesOfKind);
    const more = cases.length > shown.length ? [withCounts`… and ${cases.length - shown.length} more`] : [];
    return [
      ...headLine(`${sign} ${String(number).padStart(widest)}  `, palette.bold(shownLine(title, view.ascii)), view),
      ...shown.flatMap(({ id }) => headLine(indent, shownLine(redact(id), view.ascii), view)),
      ...more.map((line) => indent + palette.dim(line)),
    ].join("\n");
  };
  const drawSome = (found: readonly Finding[], most: number, noun: string): string[] => {
    const hidden = showAll === null ? 0 : Math.max(0, found.length - most);
    const more = hidden === 0 ? [] : [palette.dim(`… and ${plural(hidden, noun)}`)];
    return [...found.slice(0, found.length - hidden).map(draw), ...more];
  };
  const blocks = [...drawSome(failures, mostKinds, "more kind"), ...drawSome(errors, mostCauses, "more cause")];
  const found = [...failures, ...errors];
  const isCut =
    kinds.length > mostKinds || causes.length > mostCauses || found.some(({ cases }) => cases.length > mostCasesOfKind);
  if (isCut && showAll !== null) blocks.push(`All of them: ${showAll}`);
  const data = found.flatMap(({ of, cases }) => cases.map(({ id, status }) => ({ id, status, ...of })));
  return { data, text: blocks.length === 0 ? "Every case passed\n" : `${blocks.join("\n\n")}\n` };
}

/** One line for each case, with why it did not pass in a few words. Those that did not pass come first. */
export async function listCases(
  tests: readonly TestResult[],
  result: RunResult,
  { view, showAll }: ListView,
): Promise<Listing> {
  const { palette, redact, ascii } = view;
  const sorted = tests.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  const listed = showAll === null ? sorted : sorted.slice(0, mostCases);
  const lines: string[] = [];
  for (const test of listed) {
    // One case after the other keeps memory flat.
    const trial = test.status === "failed" ? await readDecisiveTrial(result, test) : null;
    const reason = shownLine(shortReason(test, trial, redact), ascii);
    const text = shownLine(redact(test.id), ascii) + (reason === "" ? "" : `  ${palette.dim(reason)}`);
    lines.push(...headLine(`${signOf(test.status, view)} `, text, view));
  }
  const hidden = sorted.length - listed.length;
  if (hidden > 0 && showAll !== null) {
    lines.push(palette.dim(`… and ${plural(hidden, "more case")}`), "", `All of them: ${showAll}`);
  }
  return { data: tests.map(({ id, status }) => ({ id, status })), text: `${lines.join("\n")}\n` };
}
