import type { ChangedCase, RunResult, TestResult } from "@kindlm/core";
import { plural, readTrial, visibleLine, withCounts } from "@kindlm/core/program";
import { quoteArgument } from "../../arguments/quote-argument.js";
import { type ErrorCause, findCauses } from "../../findings/find-causes.js";
import { type FailureKind, findKinds } from "../../findings/find-kinds.js";
import { renderChangedFiles } from "../changed-files.js";
import type { ReportOptions } from "../report-options.js";
import {
  cut,
  renderArms,
  nameCode,
  renderCallDiff,
  renderCause,
  renderComparedTable,
  renderCounters,
  renderFigures,
  renderHeadline,
  renderInjection,
  renderKindTitle,
  renderNames,
  renderRates,
} from "../markdown-parts.js";
import { renderRouting } from "../render-routing.js";
import { codeBlock, htmlCode, inlineCode } from "../untrusted.js";

/** Whoever posts it adds links and what it finds the comment by, and all of it stays under 8 kB. */
const mostBytes = 7_200;
const fullKinds = 3;
const mostCauses = 5;
/** Of the table; fewer if their names are long. */
const mostRows = [10, 4, 1];

/** What changed for the worse comes first. A run that passed and got no worse is one line. */
export async function* renderComment(result: RunResult, options: ReportOptions): AsyncIterable<string> {
  const changed = changedCases(result, "worse");
  const isRegressed = result.comparison?.verdict === "regressed";
  if (result.verdict === "passed" && changed.size === 0 && !isRegressed) {
    const better = changedCases(result, "better").size;
    const parts = [renderHeadline(result, options), ...(better === 0 ? [] : [`${plural(better, "case")} better`])];
    yield `${[...parts, ...linkTo(options)].join(" · ")}\n`;
    yield renderArms(result, options) ?? "";
    yield renderRouting(result, options) ?? "";
    return;
  }
  const kinds = worstFirst(await findKinds(result, options.redact), changed);
  const causes = findCauses(result, options);
  const foot = [renderRerun(kinds, options), ...linkTo(options).map((link) => `\n${link}\n`)].join("");
  const text = new LimitedText(mostBytes - Buffer.byteLength(foot));
  text.add(`### ${renderHeadline(result, options)}\n\n${renderCounters(result)}\n`);
  mostRows.some((rows) => {
    const table = renderComparedTable(result, options, rows);
    return table === null || text.add(`\n${table}`);
  });
  const arms = renderArms(result, options);
  if (arms !== null) text.add(arms);
  const routing = renderRouting(result, options);
  if (routing !== null) text.add(routing);
  const inFull = new Set<FailureKind>();
  for (const kind of kinds.slice(0, fullKinds)) {
    const [{ test, trial }] = kind.cases;
    const files = renderChangedFiles(await readTrial(result, test.id, trial), options);
    const about = renderKind(kind, changed, options);
    if (text.add(about + files) || text.add(about)) inFull.add(kind);
  }
  text.add(renderStillPassing(kinds, changed, options));
  const others = kinds.filter((kind) => !inFull.has(kind));
  text.fold(sayRest(others, causes), restOf(result, { others, causes, options }));
  yield `${text.toString()}${foot}`;
}

const linkTo = ({ page }: ReportOptions): readonly string[] => (page === undefined ? [] : [`[all results](${page})`]);

function changedCases({ comparison }: RunResult, how: "worse" | "better"): ReadonlyMap<string, ChangedCase> {
  const all = (comparison?.suites ?? []).flatMap((suite) => (suite.status === "compared" ? suite[how] : []));
  return new Map(all.map((one) => [one.caseId, one]));
}

function worstFirst(kinds: readonly FailureKind[], changed: ReadonlyMap<string, ChangedCase>): readonly FailureKind[] {
  const isWorse = ({ cases }: FailureKind): boolean => cases.some(({ test }) => changed.has(test.id));
  return [...kinds.filter(isWorse), ...kinds.filter((kind) => !isWorse(kind))];
}

const mostLines = 12;
const mostReasons = 3;

/** The calls that differ from the baseline, else why its first cases failed. */
function renderKind(kind: FailureKind, changed: ReadonlyMap<string, ChangedCase>, options: ReportOptions): string {
  const worse = kind.cases.flatMap(({ test }) => changed.get(test.id) ?? []);
  const head = `\n${renderKindTitle(kind, options)}\n`;
  const compared = worse.find(({ calls }) => calls !== null);
  const diff = compared === undefined ? null : renderCallDiff(compared, options, mostLines);
  if (compared !== undefined && diff !== null) {
    return `${head}${nameCode(compared.caseId, options)} ${renderRates(compared)}\n\n${diff}`;
  }
  const reasons = kind.cases
    .slice(0, mostReasons)
    .map(({ test, reason }) => `${cut(visibleLine(options.redact(test.id)), 80)}  ${cut(visibleLine(reason), 120)}`);
  return `${head}\n${codeBlock(reasons.join("\n"), "text")}`;
}

/** Cases that are worse without having failed. */
function renderStillPassing(
  kinds: readonly FailureKind[],
  changed: ReadonlyMap<string, ChangedCase>,
  options: ReportOptions,
): string {
  const failed = new Set(kinds.flatMap(({ cases }) => cases.map(({ test }) => test.id)));
  const others = [...changed.keys()].filter((id) => !failed.has(id));
  return others.length === 0 ? "" : `\nAlso worse: ${renderNames(others, options)}\n`;
}

function sayRest(others: readonly FailureKind[], causes: readonly ErrorCause[]): string {
  return [
    ...(others.length === 0 ? [] : [plural(others.length, "other kind")]),
    ...(causes.length === 0 ? [] : [`${plural(causes.length, "cause")} of errors`]),
    "gates and cost",
  ].join(" · ");
}

interface Rest {
  others: readonly FailureKind[];
  causes: readonly ErrorCause[];
  options: ReportOptions;
}

function* restOf(result: RunResult, { others, causes, options }: Rest): Iterable<string> {
  for (const kind of others) yield `- ✗ ${renderKindTitle(kind, options)}\n`;
  for (const cause of causes.slice(0, mostCauses)) yield renderCause(cause, options);
  if (causes.length > mostCauses) yield withCounts`- ! and ${causes.length - mostCauses} more causes of errors\n`;
  for (const { suite, why } of brokenSuites(result)) {
    yield `- – ${nameCode(suite, options)} could not run: ${nameCode(why, options)}\n`;
  }
  for (const gate of result.gates) {
    if (!gate.pass) yield `- ✗ gate ${htmlCode(cut(options.redact(gate.message), 200))}\n`;
  }
  for (const line of [renderFigures(result), ...renderInjection(result, options)]) yield `- ${line}\n`;
}

function brokenSuites({ suites }: RunResult): readonly { suite: string; why: string }[] {
  return suites.flatMap((suite) =>
    suite.status === "skipped" ? [{ suite: suite.name, why: suite.error.message.split("\n", 1)[0] ?? "" }] : [],
  );
}

/** The command that runs the first case again; empty if none failed, or nobody could type its ID. */
function renderRerun([kind]: readonly FailureKind[], options: ReportOptions): string {
  const test: TestResult | undefined = kind?.cases[0].test;
  const id = test === undefined ? "" : options.redact(test.id);
  if (id === "" || id.length > 200 || visibleLine(id) !== id || id.startsWith("/")) return "";
  return `\nRerun: ${inlineCode(`${options.command?.("kindlm test") ?? "kindlm test"} -t ${quoteArgument(id)}`)}\n`;
}

/** For the line that says how much was left out. */
const bytesOfRest = 40;

/** Markdown that ends before it is too long, and never within a part. */
class LimitedText {
  readonly #parts: string[] = [];
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Whether it was short enough; else it is left out. */
  add(part: string): boolean {
    const size = Buffer.byteLength(part);
    if (size > this.#left) return false;
    this.#left -= size;
    this.#parts.push(part);
    return true;
  }

  /** As many of the parts as there is room for, folded away. */
  fold(summary: string, parts: Iterable<string>): void {
    const [head, foot] = [`\n<details><summary>${summary}</summary>\n\n`, "\n</details>\n"];
    const reserved = Buffer.byteLength(foot) + bytesOfRest;
    if (this.#left < reserved + Buffer.byteLength(head)) return;
    this.add(head);
    this.#left -= reserved;
    let leftOut = 0;
    for (const part of parts) if (leftOut > 0 || !this.add(part)) leftOut += 1;
    this.#parts.push(`${leftOut === 0 ? "" : withCounts`- and ${leftOut} more\n`}${foot}`);
  }

  toString(): string {
    return this.#parts.join("");
  }
}
