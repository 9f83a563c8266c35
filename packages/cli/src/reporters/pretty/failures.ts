import type { RunResult, TestResult } from "@kindlm/core";
import { plural, readTrial, withCounts } from "@kindlm/core/program";
import type { FailedCase, FailureKind } from "../../findings/find-kinds.js";
import { shortId } from "../../findings/short-ids.js";
import {
  fitId,
  fitWidth,
  hangWidth,
  padWidth,
  padWidthStart,
  spreadWidth,
  textWidth,
} from "../../terminal/text-width.js";
import { drawTranscript } from "../../transcript/draw-transcript.js";
import { renderExecution } from "../render-execution.js";
import { heading, type PrettyView } from "./pretty-view.js";

/** Kinds that are shown with a transcript, and further cases of one; `--verbose` shows all. */
const mostKinds = 10;
const mostRows = 8;
const indent = "     ";
/** Of a value in a table. */
const longestValue = 60;

/** A block for each kind of failure: one transcript, and what differs in the other cases. */
export async function* renderFailures(
  result: RunResult,
  kinds: readonly FailureKind[],
  view: PrettyView,
): AsyncIterable<string> {
  if (kinds.length === 0) return;
  const { verbose } = view.options;
  const cases = kinds.reduce((sum, kind) => sum + kind.cases.length, 0);
  yield heading(view.palette.red("FAILED"), `${plural(kinds.length, "kind")}, ${plural(cases, "case")}`, view);
  for (const kind of verbose ? kinds : kinds.slice(0, mostKinds)) yield* renderKind(result, kind, view);
  const rest = verbose ? [] : kinds.slice(mostKinds);
  if (rest.length > 0) yield `\n${rest.flatMap((kind) => kindHead(kind, view)).join("\n")}\n`;
}

/** The sign, number and name of a kind or cause, with its cases at the right. */
export function findingHead(sign: string, number: number, text: string, cases: number, view: PrettyView): string[] {
  const right = plural(cases, "case");
  const head = `${sign} ${String(number).padEnd(3)}`;
  const lines = spreadWidth(head, text, right, view.columns);
  const last = lines.at(-1) ?? "";
  // One word alone on a line reads badly: it takes another one with it.
  if (lines.length < 2 || last.trim().includes(" ") || view.columns < 60) return lines;
  const room = view.columns - textWidth(right) - 2 - textWidth(last.trim());
  const [first = "", ...others] = hangWidth(head, text, room);
  return [padWidth(first, view.columns - textWidth(right)) + right, ...others];
}

function kindHead({ number, title, cases }: FailureKind, view: PrettyView): string[] {
  return findingHead(view.palette.red("✗"), number, view.palette.bold(view.shown(title)), cases.length, view);
}

async function* renderKind(result: RunResult, kind: FailureKind, view: PrettyView): AsyncIterable<string> {
  const [shown, ...others] = kind.cases;
  yield `\n${[...kindHead(kind, view), ...aboutKind(kind, view)].join("\n")}\n`;
  const trial = await readTrial(result, shown.test.id, shown.trial);
  yield `\n${caseHead(shown, view).join("\n")}\n`;
  if (trial !== null) {
    const more = view.command(`kindlm show ${kind.number}`);
    const { palette, options, columns } = view;
    const settings = {
      palette,
      width: columns + 1,
      redact: options.redact,
      ascii: options.ascii === true,
      ...(options.verbose ? {} : { excerpt: { more } }),
    };
    const lines = drawTranscript(trial, settings);
    if (options.groups === true) yield `::group::${view.line(shown.test.id)} trial ${shown.trial}\n`;
    yield `${options.groups === true ? "" : "\n"}${lines.join("\n")}\n`;
    if (options.groups === true) yield "::endgroup::\n";
  }
  if (others.length > 0) yield `\n${renderOthers(kind, shown, others, view).join("\n")}\n`;
}

/** The assertion with its place in the config. */
function aboutKind({ assertion, note, position }: FailureKind, view: PrettyView): string[] {
  const { palette } = view;
  const said = note === null ? null : view.line(note);
  const name =
    assertion === null ? "" : view.line(assertion.id === null ? assertion.type : `${assertion.type} ${assertion.id}`);
  const isNamed = said !== null && assertion !== null && said.startsWith(`${assertion.type} `);
  const isShort = said !== null && textWidth(said) <= 48;
  const facts = [
    isNamed ? said : name,
    assertion?.userTurn === null || assertion === null ? "" : `user turn ${assertion.userTurn}`,
    !isNamed && isShort ? said : "",
  ].filter((fact) => fact !== "");
  const place = position === null ? [] : [view.line(`${position.file}:${position.line}`)];
  const line = [...(facts.length === 0 ? [] : [facts.join(", ")]), ...place].join(" · ");
  return [
    ...(line === "" ? [] : view.wrap(indent, palette.dim(line))),
    ...(said === null || isNamed || isShort ? [] : view.wrap(indent, palette.dim(said))),
  ];
}

/** `refunds/full-refund[delta]@gpt   1 of 5, needs 3   trial 2 is shown` */
function caseHead({ test, trial }: FailedCase, view: PrettyView): string[] {
  const { palette } = view;
  const { fallback, help } = renderExecution(test);
  const counts = test.runs > 1 ? [withCounts`${test.passes} of ${test.counted}, needs ${test.required}`] : [];
  const early = test.endedEarly === true && test.trialsRun !== undefined ? ["ended early"] : [];
  const shown = test.runs > 1 && trial > 0 ? [`trial ${trial} is shown`] : [];
  const id = palette.bold(fitId(view.line(test.id), view.columns - indent.length));
  const allowed = test.allowFailure === null ? [] : [palette.yellow(`allowed: ${view.line(test.allowFailure)}`)];
  const answered = fallback === null ? [] : [palette.yellow(`answered by fallback ${view.line(fallback)}`)];
  const helped = help.map((text) => palette.yellow(text));
  const facts = [id, [...counts, ...early].join(", "), ...shown, ...allowed, ...answered, ...helped];
  return joined(
    facts.filter((fact) => fact !== ""),
    view,
  );
}

/** Facts next to one another, three columns apart, as many on a line as there is room for. */
function joined(facts: readonly string[], { columns }: PrettyView): string[] {
  const lines: string[] = [];
  for (const fact of facts) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(last) + 3 + textWidth(fact) <= columns)
      lines[lines.length - 1] = `${last}   ${fact}`;
    else lines.push(...hangWidth(indent, fact, columns));
  }
  return lines;
}

/** The other cases of a kind with what differs in them, a row each. */
function renderOthers(
  { columns: names }: FailureKind,
  shown: FailedCase,
  others: readonly FailedCase[],
  view: PrettyView,
): string[] {
  const { palette, options } = view;
  const listed = options.verbose ? others : others.slice(0, mostRows);
  const hasTrials = [shown, ...listed].some(({ test }) => test.runs > 1);
  const columns: Column[] = [
    { name: "also", cells: listed.map(({ test }) => labelOf(test, shown.test, view)), isText: true },
    ...(hasTrials
      ? [
          {
            name: "passed",
            cells: listed.map(({ test }) => withCounts`${test.passes} of ${test.counted}`),
            isText: true,
          },
        ]
      : []),
    ...names.map((name, index) =>
      toColumn(
        name,
        listed.map(({ values }) => values[index] ?? ""),
        view,
      ),
    ),
  ];
  const hidden = others.length - listed.length;
  const rows = drawTable(columns, view.columns - indent.length);
  const [head = "", ...body] = rows;
  return [
    `${indent}${palette.dim(head)}`,
    ...body.map((row) => `${indent}${row}`),
    ...(hidden > 0 ? [withCounts`${indent}and ${hidden} more`] : []),
  ];
}

interface Column {
  name: string;
  cells: readonly string[];
  isText: boolean;
}

function labelOf(test: TestResult, shown: TestResult, view: PrettyView): string {
  return fitId(view.line(shortId(test, shown)), Math.max(12, Math.floor(view.columns / 3)));
}

/** Numbers stand with their points below one another. */
function toColumn(name: string, values: readonly string[], view: PrettyView): Column {
  const cells = values.map((value) => view.shown(value));
  const isText = !cells.every((cell) => cell === "–" || /^-?[\d,]+(?:\.\d+)?$/.test(cell));
  if (isText) return { name: view.line(name), cells, isText };
  const decimals = Math.max(...cells.map((cell) => decimalsOf(cell)));
  return { name: view.line(name), cells: cells.map((cell) => cell + " ".repeat(decimals - decimalsOf(cell))), isText };
}

function decimalsOf(cell: string): number {
  const at = cell.indexOf(".");
  return at === -1 ? 0 : cell.length - at;
}

const tableGap = 3;

/** Rows with their head, cut on the right where there is no room. */
function drawTable(columns: readonly Column[], width: number): string[] {
  const rows: string[] = columns[0]?.cells.map(() => "") ?? [];
  let head = "";
  const wanted = columns.map(({ name, cells }) => Math.max(...[name, ...cells].map((cell) => textWidth(cell))));
  for (const [index, { name, cells, isText }] of columns.entries()) {
    const left = width - textWidth(head);
    const others = wanted.slice(index + 1);
    // What later columns do not need, and never less than an equal share.
    const spare = left - others.reduce((sum, one) => sum + Math.min(longestValue, one) + tableGap, 0);
    const share = Math.floor((left - tableGap * others.length) / (others.length + 1));
    const room = Math.min(longestValue, Math.max(spare, share));
    // A column without room for anything would only confuse.
    if (room < 6 && index > 0) break;
    const fitted = cells.map((cell) => fitWidth(cell, room));
    const wide = Math.min(
      room,
      Math.max(index === 1 ? 7 : 0, textWidth(name), ...fitted.map((cell) => textWidth(cell))),
    );
    const place = isText ? padWidth : padWidthStart;
    const gap = " ".repeat(tableGap);
    head += place(fitWidth(name, room), wide) + gap;
    for (const [row, cell] of fitted.entries()) rows[row] += place(cell, wide) + gap;
  }
  return [head, ...rows].map((row) => row.trimEnd());
}
