import type { ChangedCase, ComparedSuite, RunResult } from "@kindlm/core";
import { plural, readTrial, withCounts } from "@kindlm/core/program";
import { findCauses } from "../../findings/find-causes.js";
import { type FailedCase, type FailureKind, findKinds } from "../../findings/find-kinds.js";
import { describeGrowth, describeUnsavedGrowth } from "../describe-growth.js";
import { describeInjectionChange } from "../describe-injection.js";
import { createColors } from "../../terminal/colors.js";
import { drawTranscript } from "../../transcript/draw-transcript.js";
import { renderExecution } from "../render-execution.js";
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
  renderInjection,
  renderHeadline,
  renderKindTitle,
  renderNames,
  renderRates,
} from "../markdown-parts.js";
import { renderRouting } from "../render-routing.js";
import { codeBlock, htmlCode, inlineCode } from "../untrusted.js";

/** A comment of GitHub takes 65,536 characters; some are kept free to say that something was left out. */
const mostCharacters = 64_800;
const mostLines = 30;
const mostRows = 50;
const mostCases = 20;

export async function* renderMarkdown(result: RunResult, options: ReportOptions): AsyncIterable<string> {
  let left = mostCharacters;
  let leftOut = 0;
  for await (const section of sectionsOf(result, options)) {
    left -= section.length;
    // Once something is left out, nothing that comes after it is shown: it would be under the wrong heading.
    if (left < 0) leftOut += 1;
    if (leftOut === 0) yield section;
  }
  if (leftOut > 0) yield `\n${plural(leftOut, "more part")} of this report would not fit.\n`;
}

async function* sectionsOf(result: RunResult, options: ReportOptions): AsyncIterable<string> {
  yield renderHead(result, options);
  yield* renderComparison(result, options);
  yield renderArms(result, options) ?? "";
  yield renderRouting(result, options) ?? "";
  if (result.gates.length > 0) yield renderGates(result, options);
  yield* renderKinds(result, options);
  yield* renderCauses(result, options);
  yield* renderSkippedSuites(result, options);
}

function renderHead(result: RunResult, options: ReportOptions): string {
  const { run, reasons } = result;
  return [
    `## ${renderHeadline(result, options)}`,
    "",
    `**${renderCounters(result)}**`,
    "",
    ...reasons.map((reason) => `- ${inlineCode(options.redact(options.asTyped?.(reason) ?? reason))}`),
    ...(reasons.length === 0 ? [] : [""]),
    renderFigures(result),
    ...renderInjection(result, options).flatMap((line) => ["", line]),
    ...(run.interrupted ? ["", "Interrupted: these results are partial."] : []),
    "",
  ].join("\n");
}

/** A table of the suites, then what changed in each. */
function* renderComparison(result: RunResult, options: ReportOptions): Iterable<string> {
  const table = renderComparedTable(result, options, mostRows);
  if (table === null) return;
  const suites = (result.comparison?.suites ?? []).filter((suite) => suite.status === "compared");
  const isAdjusted = suites.some(({ adjusted }) => (adjusted?.suites ?? 1) > 1);
  const note = isAdjusted
    ? "\nVerdicts of suites that were tested together are adjusted for their number (Holm).\n"
    : "";
  yield `\n### Compared with the baseline\n\n${table}${note}`;
  for (const suite of suites) yield* renderChanges(suite, options);
}

function* renderChanges(suite: ComparedSuite, options: ReportOptions): Iterable<string> {
  for (const one of suite.worse) yield renderChange("▼", one, options);
  for (const one of suite.better) yield renderChange("▲", one, options);
  const uncompared = suite.uncompared.map(({ caseId, reason }) => `${caseId} (${reason})`);
  const injection = describeInjectionChange(suite);
  const unsaved = describeUnsavedGrowth(suite);
  const said = [
    ...(injection === null ? [] : [injection]),
    ...describeGrowth(suite, false),
    ...(unsaved === null ? [] : [unsaved]),
  ];
  const lists: readonly [string, readonly string[]][] = [
    ["agent has changed", suite.agentChanges],
    ["new", suite.added],
    ["removed", suite.removed],
    ["not compared, since the check has changed", suite.changedChecks],
    ["not compared", uncompared],
  ];
  const found = lists.filter(([, names]) => names.length > 0);
  if (found.length + said.length === 0) return;
  const items = [
    ...said.map((line) => `- ${line}\n`),
    ...found.map(([label, names]) => `- ${label}: ${renderNames(names, options)}\n`),
  ];
  yield `\n${nameCode(suite.suite, options)}\n\n${items.join("")}`;
}

function renderChange(sign: string, one: ChangedCase, options: ReportOptions): string {
  const title = `${sign} ${nameCode(one.caseId, options)} ${renderRates(one)}${one.isCritical ? ", critical" : ""}`;
  const diff = renderCallDiff(one, options, mostLines);
  return diff === null ? `\n${title}\n` : `\n<details><summary>${title}</summary>\n\n${diff}\n</details>\n`;
}

function renderGates({ gates }: RunResult, { redact }: ReportOptions): string {
  const rows = gates.map((gate) => {
    const sign = gate.evaluated === false ? "–" : gate.pass ? "✓" : "✗";
    return `| ${sign} | ${htmlCode(redact(gate.name))} | ${htmlCode(redact(gate.message))} |`;
  });
  return ["", "### Gates", "", "| | gate | found |", "|---|---|---|", ...rows, ""].join("\n");
}

/** Each kind of failure with one conversation, folded, and what differs in its other cases. */
async function* renderKinds(result: RunResult, options: ReportOptions): AsyncIterable<string> {
  const kinds = await findKinds(result, options.redact);
  if (kinds.length === 0) return;
  yield "\n### Failed\n";
  for (const kind of kinds) {
    const [shown, ...others] = kind.cases;
    yield `\n${renderKindTitle(kind, options)}\n${await renderShown(shown, result, options)}${renderOthers(others, kind, options)}`;
  }
}

const longestTranscript = 6_000;

async function renderShown({ test, trial, reason }: FailedCase, result: RunResult, options: ReportOptions) {
  // One conversation after the other keeps memory flat.
  const found = await readTrial(result, test.id, trial);
  const view = {
    palette: createColors(false),
    width: 101,
    redact: options.redact,
    ascii: false,
    withoutFiles: true,
  } as const;
  const transcript = found === null ? reason : drawTranscript(found, view).join("\n");
  const { trials: how, help } = renderExecution(test);
  const allowed = test.allowFailure === null ? [] : [`allowed: ${nameCode(test.allowFailure, options)}`];
  const facts = [nameCode(test.id, options), ...[how, ...help].filter((text) => text !== ""), ...allowed];
  const number = test.runs === 1 ? [] : [`trial ${trial}`];
  return `
<details><summary>${[...facts, ...number].join(" · ")}: ${htmlCode(cut(reason, 200))}</summary>

${codeBlock(cut(transcript, longestTranscript), "text")}${renderChangedFiles(found, options)}
</details>
`;
}

/** The other cases of a kind, with what differs from case to case. */
function renderOthers(others: readonly FailedCase[], { columns }: FailureKind, options: ReportOptions): string {
  if (others.length === 0) return "";
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rows = others
    .slice(0, mostCases)
    .map(({ test, values }) =>
      row([
        nameCode(test.id, options),
        withCounts`${test.passes} of ${test.runs}`,
        ...values.map((value) => htmlCode(cut(value, 120))),
      ]),
    );
  const more = others.length - rows.length;
  return [
    "",
    row(["also", "passed", ...columns.map((column) => htmlCode(cut(column, 60)))]),
    row(["", "", ...columns].map(() => "---")),
    ...rows,
    ...(more > 0 ? ["", withCounts`… and ${more} more`] : []),
    "",
  ].join("\n");
}

function* renderCauses(result: RunResult, options: ReportOptions): Iterable<string> {
  const causes = findCauses(result, options);
  if (causes.length === 0) return;
  yield "\n### Errored, without a verdict about the agent\n\n";
  for (const cause of causes) yield renderCause(cause, options);
}

function* renderSkippedSuites(result: RunResult, options: ReportOptions): Iterable<string> {
  const skipped = result.suites.filter((suite) => suite.status === "skipped");
  if (skipped.length === 0) return;
  yield "\n### Skipped suites\n\n";
  for (const suite of skipped) {
    const lines = options.errorTexts?.get(suite) ?? [suite.error.message];
    yield `- ${nameCode(suite.name, options)}: ${lines.map((line) => inlineCode(cut(options.redact(line), 300))).join(" ")}\n`;
  }
}
