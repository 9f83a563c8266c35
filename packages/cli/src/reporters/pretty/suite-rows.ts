import type { SuiteResult, TestResult } from "@kindlm/core";
import { renderDuration, renderUsd, withCounts } from "@kindlm/core/program";
import { fitWidth, padWidth, padWidthStart, textWidth } from "../../terminal/text-width.js";
import type { PrettyView } from "./pretty-view.js";

interface Figures {
  counts: string;
  signs: string;
  cells: readonly string[];
}

/** What the tree says of a suite on its line. */
interface SuiteRow {
  name: string;
  /** Behind the name, such as `(9 tests)`. */
  about: string;
  /** Null for a suite that could not run. */
  figures: Figures | null;
}

type RanRow = SuiteRow & { figures: Figures };

const signs = { passed: "✓", failed: "✗", errored: "!", skipped: "–" } as const;
const order = ["passed", "failed", "errored", "skipped"] as const;

export function toSuiteRow(suite: SuiteResult, about: string, view: PrettyView): SuiteRow {
  const name = view.line(suite.name);
  if (suite.status === "skipped") return { name, about, figures: null };
  const { palette } = view;
  const { passed, flaky, skipped, ...others } = countCases(suite);
  const counts = [
    passed === 0 ? palette.dim("0 passed") : palette.green(withCounts`${passed} passed`),
    ...(flaky === 0 ? [] : [palette.yellow(withCounts`${flaky} flaky`)]),
    ...(skipped === 0 ? [] : [palette.dim(withCounts`${skipped} skipped`)]),
  ].join("   ");
  const paint = { passed: palette.green, failed: palette.red, errored: palette.magenta, skipped: palette.dim };
  const all = order.map((status) => {
    const shown = signs[status].repeat({ passed, skipped, ...others }[status]);
    return shown === "" ? "" : paint[status](shown);
  });
  return { name, about, figures: { counts, signs: all.join(""), cells: cellsOf(suite.tests) } };
}

function countCases({ tests }: SuiteResult): Record<TestResult["status"] | "flaky", number> {
  const counts = { passed: 0, failed: 0, errored: 0, skipped: 0, flaky: 0 };
  for (const test of tests) {
    counts[test.status] += 1;
    if (test.status === "passed" && test.mixed) counts.flaky += 1;
  }
  return counts;
}

/** Trials that passed of those that count, the time all trials waited for models, what they cost. */
function cellsOf(tests: readonly TestResult[]): readonly string[] {
  let [passes, counted, waitedMs] = [0, 0, 0];
  let costUsd: number | null = 0;
  for (const test of tests) {
    if (test.status === "skipped") continue;
    passes += test.passes;
    counted += test.counted;
    waitedMs += test.latencyMs * (test.trialsRun ?? test.runs);
    costUsd = costUsd === null || test.costUsd === null ? null : costUsd + test.costUsd;
  }
  return [withCounts`${passes}/${counted}`, renderDuration(waitedMs), renderCost(costUsd)];
}

/** Dollars; `–` if unknown. */
export function renderCost(costUsd: number | null): string {
  return costUsd === null ? "–" : renderUsd(costUsd);
}

const branch = 4;
const narrow = 60;
const wide = 119;
/** Between a name and its counts, and for the counts, if there is room. */
const titleGap = { least: 2, most: 5 };
const roomyCounts = 18;

/** The lines of the suites within the tree, their figures below one another as far as there is room for them. */
export function alignSuites(rows: readonly SuiteRow[], view: PrettyView): string[] {
  const { columns, palette } = view;
  const isWide = columns >= wide;
  const gap = isWide ? 5 : 4;
  const least = isWide ? [5, 7, 7] : [5, 6, 7];
  const ran = rows.filter((row): row is RanRow => row.figures !== null);
  const widths = least.map((fewest, cell) =>
    Math.max(fewest, ...ran.map(({ figures }) => textWidth(figures.cells[cell] ?? ""))),
  );
  const counts = Math.max(0, ...ran.map(({ figures }) => textWidth(figures.counts)));
  const about = Math.max(0, ...ran.map((row) => textWidth(row.about) + 1));
  const longest = Math.max(0, ...ran.map((row) => textWidth(row.name) + textWidth(row.about) + 1));
  const roomFor = (cells: number): number => {
    const right = widths.slice(0, cells).reduce((sum, width) => sum + width + gap, 0);
    return columns - branch - titleGap.least - counts - right;
  };
  // Right-hand columns go first where the terminal is narrow; elsewhere long names lose their ends first.
  const fewestTitle = columns < narrow - 1 ? longest : Math.min(longest, about + 12);
  let cells = widths.length;
  while (cells > 0 && roomFor(cells) < fewestTitle) cells -= 1;
  const titleWidth = Math.max(about + 4, Math.min(longest, roomFor(cells)));
  const spare = Math.max(0, roomFor(cells) - titleWidth);
  const gapWidth = Math.min(titleGap.most, titleGap.least + spare);
  const countsWidth = Math.max(counts, Math.min(roomyCounts, counts + spare - (gapWidth - titleGap.least)));
  return rows.map((row) => {
    const { name, figures } = row;
    if (figures === null) return `${palette.bold(name)} ${row.about}`;
    const title = `${palette.bold(fitWidth(name, titleWidth - textWidth(row.about) - 1))} ${row.about}`;
    const left = padWidth(title, titleWidth) + " ".repeat(gapWidth);
    if (cells === 0) return `${left}${figures.counts}`.trimEnd();
    const right = figures.cells
      .slice(0, cells)
      .map((cell, index) => padWidthStart(cell, (widths[index] ?? 0) + gap))
      .join("");
    const start = `${left}${padWidth(figures.counts, countsWidth)}`;
    const room = columns - branch - textWidth(start) - textWidth(right);
    const shown = isWide && textWidth(figures.signs) <= room - gap ? " ".repeat(gap) + figures.signs : "";
    return start + padWidth(shown, room) + right;
  });
}
