import type { RunResult, TestResult, TrialResult } from "@kindlm/core";
import { percent, plural, renderUsd, visibleLine, withCounts } from "@kindlm/core/program";

import type { ReportIndex } from "@kindlm/viewer/report-data";
import type { ReportDetail } from "@kindlm/viewer/report-detail";
import { quoteArgument } from "../../arguments/quote-argument.js";
import type { ReportOptions } from "../report-options.js";
import { findAll, shownTrialOf, type RunFindings } from "../../findings/find-all.js";
import { chunkSize, contentPolicy, embedText, keepScript, readViewer, type ViewerAssets } from "./embed.js";
import { createIndex } from "./report-index.js";
import { ReportComparisons } from "./report-comparison.js";
import { RunActivity } from "./run-activity.js";
import { describeTrial } from "./report-trial.js";

/** From so many characters on, passed trials that no case opens with lose their transcripts. */
const mostCharacters = 50_000_000;

const asWritten = (text: string): string => text;

interface PageParts {
  viewer: Promise<ViewerAssets>;
  /** Default: 50 MB. */
  mostCharacters?: number;
}

/** One page with everything in it. The trials are read one after the other, so that memory stays flat. */
export async function* renderHtml(
  result: RunResult,
  options: ReportOptions,
  { viewer: page, mostCharacters: most = mostCharacters }: PageParts = { viewer: readViewer() },
): AsyncIterable<string> {
  const { redact } = options;
  const assets = await page;
  const viewer = { ...assets, starter: keepScript(assets.starter, redact) };
  yield headOf(result, redact, viewer.style, contentPolicy(viewer));
  const comparisons = new ReportComparisons(result, (await options.readEarlier?.()) ?? [], redact);
  const findings = await findAll(result, options);
  const activity = new RunActivity();
  const chunks = new ChunkWriter(result, { ...options, findings, most }, (test, trial) => {
    comparisons.see(test, trial);
    activity.see(test, trial);
  });
  yield* chunks.write();
  const notes = chunks.leftOut === 0 ? [] : [noteOf(chunks.leftOut, most, options)];
  const index = await createIndex(result, options, {
    findings,
    comparisons: comparisons.describe(),
    activities: activity.describe(),
    notes,
    lettersOf: (test) => chunks.letters.get(test) ?? "",
  });
  yield await embedText("report-index", JSON.stringify(index), redact);
  yield `<div id="report">\n${renderSummary(index)}</div>\n`;
  yield await embedText("report-app", viewer.app, redact);
  yield `<script>${viewer.starter}</script>\n</body>\n</html>\n`;
}

function noteOf(leftOut: number, most: number, { asTyped = asWritten }: ReportOptions): string {
  const megabytes = most / 1_000_000;
  return `The transcripts of ${plural(leftOut, "passed trial")} are left out, since the report would be larger than ${megabytes} MB. ${asTyped("kindlm show")} prints them.`;
}

function headOf({ run, summary, verdict }: RunResult, redact: (text: string) => string, style: string, policy: string) {
  const { passed, failed, errored } = summary;
  const title = withCounts`${verdict === "passed" ? "✓" : "✗"} ${run.project ?? "KindLM"}: ${passed} passed, ${failed} failed, ${errored} errored`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeMarkup(visibleLine(redact(title)))}</title>
<link rel="icon" href="${iconOf(verdict)}">
<style>${style}</style>
</head>
<body>
`;
}

/** A sign on a square, so that a tab says how the run ended. */
function iconOf(verdict: RunResult["verdict"]): string {
  const [color, path] = verdict === "passed" ? ["1a7f37", "M9 17l5 5 9-11"] : ["cf222e", "M10 10l12 12M22 10L10 22"];
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#${color}"/><path d="${path}" fill="none" stroke="#fff" stroke-width="4"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`;
}

interface ChunkOptions extends ReportOptions {
  findings: RunFindings;
  /** Characters, see `mostCharacters`. */
  most: number;
}

/** Writes the trials of a run, so many cases at a time, and remembers of each case what the index needs. */
class ChunkWriter {
  /** How the trials of each case ended. */
  readonly letters = new Map<TestResult, string>();
  /** Passed trials without their transcripts. */
  leftOut = 0;
  readonly #result: RunResult;
  readonly #options: ChunkOptions;
  readonly #onTrial: (test: TestResult, trial: TrialResult) => void;
  #written = 0;

  constructor(result: RunResult, options: ChunkOptions, onTrial: (test: TestResult, trial: TrialResult) => void) {
    this.#result = result;
    this.#options = options;
    this.#onTrial = onTrial;
  }

  async *write(): AsyncIterable<string> {
    let lines: string[] = [];
    let chunk = 0;
    const end = async (): Promise<string> => {
      const element = await embedText(`report-chunk-${chunk}`, lines.join("\n"), this.#options.redact);
      lines = [];
      chunk += 1;
      this.#written += element.length;
      return element;
    };
    for (const { tests } of this.#result.suites) {
      for (const test of tests) {
        lines.push(JSON.stringify(await this.#detail(test)));
        if (lines.length === chunkSize) yield await end();
      }
    }
    if (lines.length > 0) yield await end();
  }

  async #detail(test: TestResult): Promise<ReportDetail> {
    const { redact, findings, most, asTyped = asWritten, command = asTyped } = this.#options;
    const trials: ReportDetail["trials"][number][] = [];
    const shownTrial = shownTrialOf(test, findings);
    let letters = "";
    for await (const trial of this.#result.trials(test.id)) {
      const withTranscript = this.#written < most || trial.status !== "passed" || trial.trial === shownTrial;
      if (!withTranscript) this.leftOut += 1;
      this.#onTrial(test, trial);
      trials.push(describeTrial(trial, { redact, asTyped, withTranscript }));
      if (trial.fresh !== true) letters += trial.status.charAt(0);
    }
    this.letters.set(test, letters);
    return { command: `${command("kindlm test")} -t ${quoteArgument(visibleLine(redact(test.id)))}`, trials };
  }
}

/** Cases that are listed; who needs all of them needs another report. */
const mostCases = 200;

/**
 * The report as far as it can be read without the script and without its styles: a server such as Jenkins forbids both.
 */
function renderSummary({ head, suites, kinds, causes, gates, cases, tables = [] }: ReportIndex): string {
  const { counts, passRate, interval, costUsd } = head;
  const range = interval === null ? "" : ` (${interval.map(percent).join(" to ")})`;
  const facts = [
    ...(passRate === null ? [] : [`Pass rate ${percent(passRate)}${range}`]),
    ...(costUsd === null ? [] : [renderUsd(costUsd)]),
    `run ${head.runId}`,
    head.startedAt,
    `KindLM ${head.kindlm}`,
  ];
  const missed = gates.filter(({ pass }) => !pass);
  const notPassed = cases.filter(({ status }) => status === "failed" || status === "errored");
  return [
    "<main>\n",
    `<h1>${head.verdict === "passed" ? "✓" : "✗"} ${escapeMarkup(head.project ?? "KindLM")} ${head.verdict}</h1>\n`,
    paragraph(
      withCounts`${counts.passed} passed, ${counts.failed} failed, ${counts.errored} errored, ${counts.skipped} skipped`,
    ),
    paragraph(facts.join(" · ")),
    ...[...head.reasons, ...head.notes].map(paragraph),
    ...tables.map(({ title, rows }) => `<h2>${escapeMarkup(title)}</h2>\n${plainTable(rows)}`),
    section(
      "Kinds of failure",
      kinds.map(({ title, where, cases: many }) => [title, where, plural(many, "case")]),
    ),
    section(
      "Causes of errors",
      causes.map(({ title, fix, cases: many }) => [title, fix ?? "", plural(many, "case")]),
    ),
    section(
      "Gates that failed",
      missed.map(({ message }) => [message]),
    ),
    section(
      "Suites",
      suites.map(({ name, counts: of, error }) => [
        name,
        error ?? withCounts`${of.passed} passed, ${of.failed} failed, ${of.errored} errored`,
      ]),
    ),
    section(
      "Cases that did not pass",
      notPassed.slice(0, mostCases).map(({ id, status }) => [id, status]),
    ),
    notPassed.length > mostCases ? paragraph(`and ${plural(notPassed.length - mostCases, "more case")}`) : "",
    paragraph(
      "This is a summary: the page with all conversations needs scripts, which this server or browser does not allow. Download the file and open it.",
    ),
    "</main>\n",
  ].join("");
}

/** A list under its heading, nothing if it is empty. */
function section(heading: string, entries: readonly (readonly string[])[]): string {
  if (entries.length === 0) return "";
  const items = entries.map(
    (parts) =>
      `<li>${parts
        .filter((part) => part !== "")
        .map(escapeMarkup)
        .join(" · ")}</li>\n`,
  );
  return `<h2>${heading}</h2>\n<ul>\n${items.join("")}</ul>\n`;
}

function plainTable(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${escapeMarkup(cell)}</td>`).join("")}</tr>\n`);
  return `<table>\n${lines.join("")}</table>\n`;
}

function paragraph(text: string): string {
  return `<p>${escapeMarkup(text)}</p>\n`;
}

function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
