import type { AssertionResult, TrialResult } from "@kindlm/core";
import {
  failingAssertions,
  isRecord,
  maskFor,
  ordinal,
  plural,
  redactValue,
  withCounts,
  withExactIntegers,
} from "@kindlm/core/program";
import { differencesOf, listArguments, type CallDifference } from "../findings/call-differences.js";
import { describeWorkspace } from "../file-changes/describe-changes.js";
import { drawChanges } from "../file-changes/draw-changes.js";
import { shownText } from "../terminal/signs.js";
import { fitWidth, hangWidth, padWidth, spreadWidth, textWidth } from "../terminal/text-width.js";
import { shortVerdict } from "./short-verdict.js";
import type { CalledTool, Speaker, TranscriptRow } from "./transcript-row.js";
import { listValue } from "./list-value.js";
import type { TranscriptView } from "./transcript-view.js";
import { transcriptOf } from "./transcript.js";

const margin = 5;
const speakerColumns = 8;
/** Text never runs wider, however wide the terminal is. */
const widestText = 100;
const narrow = 60;
const wide = 120;
const clockColumns = 15;
const leastValue = 9;
/** Of an excerpt: lines of one text, lines at the beginning and at the end of all, assertions. */
const mostLines = 6;
const firstRows = 12;
const lastRows = 40;
const mostVerdicts = 5;
/** Of a value in a list of arguments. */
const unlimited = 1_000_000;

/**
 * The transcript of a trial as lines, with the arguments marked that its failing assertions rejected, and what these
 * assertions say below.
 */
export function drawTranscript(trial: TrialResult, view: TranscriptView): string[] {
  return new TranscriptDrawing(trial, view).lines();
}

class TranscriptDrawing {
  readonly #trial: TrialResult;
  readonly #view: TranscriptView;
  readonly #taken: number;
  readonly #mask: (text: string) => string;
  readonly #failing: readonly AssertionResult[];
  readonly #indent: string;
  /** Assertions whose rejected arguments are marked. */
  readonly #marked = new Set<AssertionResult>();

  /** `taken`: columns that the lines of the agents above take. */
  constructor(trial: TrialResult, view: TranscriptView, taken = 0) {
    this.#trial = trial;
    this.#view = view;
    this.#taken = taken;
    this.#mask = maskFor(trial.assertions, view.redact);
    this.#failing = failingAssertions(trial.assertions);
    this.#indent = " ".repeat(view.width < narrow ? 2 : margin);
  }

  lines(): string[] {
    const rows = transcriptOf(this.#trial).map((row) => this.#placed(row));
    const { error } = this.#trial;
    const { magenta } = this.#view.palette;
    const ending = error === null ? [] : this.#block("error", magenta(this.#text(error.message)), magenta);
    return [...this.#excerptOf(rows), ...ending, ...this.#files(), ...this.#verdicts()];
  }

  /** What a sub-agent said and did stands behind a line for each level. */
  #placed({ agents = [], ...row }: TranscriptRow): string[] {
    if (agents.length === 0) return this.#withClock(this.#row(row), row.atMs);
    const { ascii, palette } = this.#view;
    const bars = (ascii ? "| " : "│ ").repeat(agents.length);
    const inner = new TranscriptDrawing(this.#trial, this.#view, bars.length);
    const lines = inner.#row(row).map((line) => this.#indent + palette.dim(bars) + line.slice(this.#indent.length));
    for (const one of inner.#marked) this.#marked.add(one);
    return this.#withClock(lines, row.atMs);
  }

  /** The beginning and the end of a long conversation. */
  #excerptOf(rows: readonly (readonly string[])[]): string[] {
    const { excerpt, palette } = this.#view;
    const hidden = rows.length - firstRows - lastRows;
    if (excerpt === undefined || hidden <= 1) return rows.flat();
    const left = `… ${plural(hidden, "more line")} of the conversation: ${excerpt.more}`;
    return [
      ...rows.slice(0, firstRows).flat(),
      ...hangWidth(this.#indent, palette.dim(left), this.#columns()),
      ...rows.slice(-lastRows).flat(),
    ];
  }

  #files(): string[] {
    const { palette, ascii, excerpt, withoutFiles } = this.#view;
    const described = withoutFiles === true ? null : describeWorkspace(this.#trial);
    if (described === null) return [];
    const indent = this.#indent + " ".repeat(speakerColumns);
    const view = { palette, ascii, indent, columns: this.#columns(), mask: this.#mask, more: excerpt?.more ?? null };
    const [first = "", ...rest] = drawChanges(described, view);
    return [this.#indent + palette.dim("files".padEnd(speakerColumns)) + first.slice(indent.length), ...rest];
  }

  #withClock([first = "", ...rest]: readonly string[], atMs: number | null): string[] {
    if (this.#view.width < wide || atMs === null) return [first, ...rest];
    const time = `${(atMs / 1_000).toFixed(1)} s`;
    const columns = this.#columns() + clockColumns;
    return [padWidth(first, columns - time.length) + this.#view.palette.dim(time), ...rest];
  }

  #row(row: TranscriptRow): string[] {
    if ("call" in row) return this.#call(row.call, row.name);
    if ("result" in row) return this.#block("tool", this.#text(listValue(redactValue(row.result, this.#mask))));
    const { palette } = this.#view;
    const isKindlms = row.by !== "user" && row.by !== "agent";
    const paint = row.isTrouble === true ? (row.by === "fault" ? palette.magenta : palette.yellow) : plain;
    const note = row.note === undefined ? "" : this.#text(row.note);
    const text = paint(this.#text(row.text));
    return this.#block(row.by, `${this.#named(row.name)}${text}`, isKindlms ? paint : plain, note);
  }

  #named(agent: string | undefined): string {
    return agent === undefined ? "" : `${this.#view.palette.dim(`${this.#text(agent)}:`)} `;
  }

  #call({ tool, args, raw, record, repeat }: CalledTool, agent: string | undefined): string[] {
    const differing = record === null ? [] : differencesOf(record, this.#failing, this.#mask);
    for (const one of differing.length > 0 ? this.#failing : []) {
      if (record !== null && differencesOf(record, [one], this.#mask).length > 0) this.#marked.add(one);
    }
    const name = `${this.#named(agent)}${this.#view.palette.bold(this.#text(tool))}`;
    const note = record === null ? "not run" : repeat > 1 ? `${ordinal(repeat)} call` : "";
    const shown = redactValue(args, this.#mask);
    const exact = record === null ? shown : withExactIntegers(shown, record.exactIntegers);
    const written = this.#text(raw === null ? listValue(exact) : `${raw}  (not JSON)`);
    const gap = written === "" || written.startsWith("\n") ? "" : "  ";
    if (differing.length === 0) return this.#block("agent", `${name}${gap}${written}`, plain, note);
    return [...this.#block("agent", name, plain, note), ...this.#arguments(isRecord(exact) ? exact : {}, differing)];
  }

  /** One argument on a line, the rejected ones with what was expected. */
  #arguments(args: Record<string, unknown>, differing: readonly CallDifference[]): string[] {
    const entries = listArguments(args, differing, unlimited).map((entry) => ({
      ...entry,
      name: this.#text(entry.name),
      value: this.#text(entry.value),
    }));
    const widestName = Math.max(...entries.map(({ name }) => textWidth(name)));
    const widestRejected = Math.max(leastValue, ...differing.map(({ actual }) => textWidth(actual)));
    const indent = this.#indent + " ".repeat(speakerColumns);
    return entries.flatMap(({ name, value, expected }) => {
      const { red, dim } = this.#view.palette;
      const sign = expected === undefined ? " " : red("✗");
      const head = `${indent}${sign} ${padWidth(name, widestName)}  `;
      const text =
        expected === undefined
          ? value
          : `${padWidth(red(value), widestRejected)}   ${dim("expected")} ${this.#text(expected)}`;
      return hangWidth(head, text, this.#columns());
    });
  }

  /** What each assertion says, those that failed in full. */
  #verdicts(): string[] {
    const { assertions } = this.#trial;
    if (this.#view.excerpt !== undefined) return this.#failingVerdicts();
    return assertions.length === 0 ? [] : ["", ...assertions.flatMap((one) => this.#verdict(one, this.#indent))];
  }

  /** Below the last message, as far as the marked arguments do not say it. */
  #failingVerdicts(): string[] {
    const { red, dim } = this.#view.palette;
    const said = this.#failing.filter((one) => !this.#marked.has(one));
    const indent = this.#indent + " ".repeat(speakerColumns);
    const hidden = said.length - mostVerdicts;
    // What to do about it stands on further lines, which no marked argument says.
    const advice = [...this.#marked].flatMap(({ message }) => message.split("\n").slice(1));
    return [
      ...advice.flatMap((line) => hangWidth(`${indent}  `, dim(this.#text(line)), this.#columns())),
      ...said.slice(0, mostVerdicts).flatMap((one) => {
        const text = this.#text(shortVerdict(one, this.#failing.length === 1, this.#trial.output));
        return this.#shortened(hangWidth(`${indent}${red("✗")} `, text, this.#columns()), `${indent}  `);
      }),
      ...(hidden > 0 ? [`${indent}  ${dim(withCounts`… and ${hidden} more failing assertions`)}`] : []),
    ];
  }

  #verdict(assertion: AssertionResult, indent: string): string[] {
    const { red, green, dim } = this.#view.palette;
    const { type, id, userTurn, message, pass, skipped, judge, parts = [] } = assertion;
    const where = userTurn === undefined ? "" : ` (user turn ${userTurn})`;
    const name = this.#text(`${id === undefined ? type : `${type} ${id}`}${where}`);
    const isQuiet = pass || skipped === true;
    const sign = skipped === true ? dim("–") : pass ? green("✓") : red("✗");
    const said = `${name}: ${this.#text(message)}`;
    const lines = isQuiet
      ? [`${indent}${sign} ${dim(fitWidth(said.replaceAll("\n", " "), this.#columns() - textWidth(indent) - 2))}`]
      : hangWidth(`${indent}${sign} `, said, this.#columns());
    for (const { model, score, reasoning } of judge?.votes ?? []) {
      const vote = `${this.#text(model)} ${Math.round(score * 1_000) / 1_000}: ${this.#text(reasoning)}`;
      lines.push(...hangWidth(`${indent}  `, dim(vote), this.#columns()));
    }
    return isQuiet
      ? lines
      : [...lines, ...failingAssertions(parts).flatMap((part) => this.#verdict(part, `${indent}  `))];
  }

  #block(by: Speaker | "error", text: string, paint: Paint = plain, note = ""): string[] {
    const { dim } = this.#view.palette;
    const speaker = by.padEnd(speakerColumns);
    const head = `${this.#indent}${paint === plain ? dim(speaker) : paint(speaker)}`;
    const lines = spreadWidth(head, text, note === "" ? "" : dim(note), this.#columns());
    return this.#shortened(lines, this.#indent + " ".repeat(speakerColumns));
  }

  #shortened(lines: readonly string[], indent: string): string[] {
    const { excerpt, palette } = this.#view;
    const hidden = lines.length - mostLines;
    if (excerpt === undefined || hidden <= 1) return [...lines];
    const left = palette.dim(`… ${plural(hidden, "more line")}: ${excerpt.more}`);
    return [...lines.slice(0, mostLines), ...hangWidth(indent, left, this.#columns())];
  }

  #text(text: string): string {
    return shownText(this.#mask(text), this.#view.ascii).replaceAll("\t", "  ");
  }

  #columns(): number {
    // At the right of a wide terminal is the clock.
    const columns = Math.min(this.#view.width, wide) - 1;
    const free = this.#view.width < wide ? Math.min(columns, margin + widestText) : columns - clockColumns;
    return free - this.#taken;
  }
}

type Paint = (text: string) => string;
const plain: Paint = (text) => text;
