import { visibleLine, type SetBaseline, type SetBaselines } from "@kindlm/core";
import { explainError } from "../../explain-error.js";

/** Ids that are written out. */
const mostNames = 5;

/** What became of the baselines, suite by suite. `names`: write out every case. */
export function renderSet(
  { run, suites }: SetBaselines,
  { dryRun, names }: { dryRun: boolean; names: boolean },
): string {
  const lines = suites.flatMap((suite) => [
    headlineOf(suite, dryRun),
    ...detailsOf(suite, names).map((line) => `  ${line}`),
  ]);
  const count = `${suites.length} baseline${suites.length === 1 ? "" : "s"}`;
  const end = dryRun ? `Would set ${count} to run ${run}` : `Set ${count} to run ${run}. Commit: ${filesOf(suites)}`;
  return `${[...lines, visibleLine(end)].join("\n")}\n`;
}

function headlineOf({ suite, added, updated, unchanged, failing }: SetBaseline, dryRun: boolean): string {
  const taken = added.length + updated.length + unchanged.length;
  const changes = [
    [added.length, "new"],
    [updated.length, "updated"],
    [unchanged.length, "unchanged"],
  ] as const;
  const told = changes.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`])).join(", ");
  const mark = dryRun ? "–" : "✓";
  const failed = failing.length === 0 ? "" : `; ${failing.length} of them failing, and blessed as such`;
  return `${mark} ${visibleLine(suite)}: ${taken} case${taken === 1 ? "" : "s"} (${told})${failed}`;
}

function detailsOf({ failing, kept, pruned, left, replaced }: SetBaseline, names: boolean): readonly string[] {
  const list = (label: string, ids: readonly string[]): readonly string[] => {
    if (ids.length === 0) return [];
    const shown = names ? ids : ids.slice(0, mostNames);
    const more = ids.length > shown.length ? ` and ${ids.length - shown.length} more` : "";
    return [`${label}: ${shown.map(visibleLine).join(", ")}${more}`];
  };
  const [problem] = replaced === null ? [] : explainError(replaced, false);
  return [
    ...(problem === undefined ? [] : [`replaces what could not be used: ${visibleLine(problem.title)}`]),
    ...list("failing", failing),
    ...list("kept as they were, since the run says nothing of them", kept),
    ...list(
      "not taken",
      left.map(({ caseId, reason }) => `${caseId} (${reason})`),
    ),
    ...list("taken out, since the config has them no more", pruned),
  ];
}

function filesOf(suites: readonly SetBaseline[]): string {
  const [first] = suites;
  return first === undefined || suites.length > 1 ? ".kindlm/baselines" : first.file;
}
