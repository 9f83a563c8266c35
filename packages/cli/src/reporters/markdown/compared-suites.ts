import type { ChangedCase, ComparedSuite, RunComparison } from "@kindlm/core";
import { visibleLine } from "@kindlm/core/program";
import { explainDigested } from "../../errors/explain-error.js";
import type { ReportOptions } from "../report-options.js";
import { diffLists } from "../diff-lists.js";
import { codeBlock, htmlCode, inlineCode } from "./untrusted.js";
import { points } from "../../terminal/percent.js";

const marks = { regressed: "❌", ok: "✅", inconclusive: "❔" } as const;
const mostNames = 10;

/** A table of the suites, then what changed in each. */
export function* renderComparedSuites(comparison: RunComparison, options: ReportOptions): Iterable<string> {
  const { redact } = options;
  const rows = comparison.suites.map((suite) => {
    const name = htmlCode(redact(suite.suite));
    if (suite.status === "none") return `| ${name} | no baseline | | | |`;
    if (suite.status === "unreadable") return `| ${name} | ❔ not compared | | | |`;
    const { verdict, meanDifference: mean, interval, adjusted, isConfirmed } = suite;
    const p = adjusted?.p ?? suite.p;
    const shown = `${marks[verdict]} **${verdict}**${isConfirmed === true ? " (confirmed)" : ""}`;
    const range = interval === null ? "" : `${points(interval[0])} to ${points(interval[1])}`;
    return `| ${name} | ${shown} | ${mean === null ? "" : points(mean)} | ${range} | ${p === null ? "" : p.toPrecision(2)} |`;
  });
  yield [
    "",
    "### Compared with the baseline",
    "",
    "| suite | verdict | points | 95% interval | p |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    ...(isAdjusted(comparison)
      ? ["p of the suites that were tested together is adjusted for their number (Holm).", ""]
      : []),
  ].join("\n");
  for (const suite of comparison.suites) {
    if (suite.status === "compared") yield* renderChanges(suite, options);
    if (suite.status === "unreadable") {
      const why = explainDigested(suite.error, options).map(({ title }) => inlineCode(redact(title)));
      yield `\n${inlineCode(redact(suite.suite))}: ${why.join(" ")}\n`;
    }
  }
}

/** With one suite there is nothing to adjust. */
function isAdjusted({ suites }: RunComparison): boolean {
  return suites.some((suite) => suite.status === "compared" && (suite.adjusted?.suites ?? 1) > 1);
}

function* renderChanges(suite: ComparedSuite, options: ReportOptions): Iterable<string> {
  const { redact } = options;
  for (const one of suite.worse) yield renderChange("❌ worse", one, options);
  for (const one of suite.better) yield renderChange("✅ better", one, options);
  const uncompared = suite.uncompared.map(({ caseId, reason }) => `${caseId} (${reason})`);
  const lists: readonly [string, readonly string[]][] = [
    ["agent has changed", suite.agentChanges],
    ["new", suite.added],
    ["removed", suite.removed],
    ["not compared, since the check has changed", suite.changedChecks],
    ["not compared", uncompared],
  ];
  for (const [label, names] of lists) {
    if (names.length === 0) continue;
    const shown = names.slice(0, mostNames).map((name) => inlineCode(redact(name)));
    const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
    yield `- ${inlineCode(redact(suite.suite))} ${label}: ${shown.join(", ")}${more}\n`;
  }
}

function renderChange(label: string, one: ChangedCase, { redact }: ReportOptions): string {
  const { baseline, candidate, calls, isCritical } = one;
  const counts = `${baseline.passes}/${baseline.trials} → ${candidate.passes}/${candidate.trials}`;
  const title = `${label}: ${htmlCode(redact(one.caseId))} ${counts}${isCritical ? ", critical" : ""}`;
  if (calls === null) return `\n${title}\n`;
  const marksOf = { both: " ", before: "-", after: "+" } as const;
  const diff = diffLists(calls.before, calls.after).map(
    ({ side, text }) => `${marksOf[side]} ${visibleLine(redact(text))}`,
  );
  return `\n<details><summary>${title}</summary>\n\n${codeBlock(diff.join("\n"), "diff")}\n</details>\n`;
}
