import { plural, visibleLine, withCounts } from "@kindlm/core/program";
import { setBaselines, type SetBaseline, type SetBaselines } from "@kindlm/core/commands/baselines";
import { errorViewOf } from "../../errors/error-view.js";
import { explainError } from "../../errors/explain-error.js";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import { renderWarning } from "../../errors/render-error.js";
import type { InvocationOf } from "../command-definition.js";
import type { setCommand } from "./command.js";
import { reportedError } from "./reported-error.js";

export async function execute(invocation: InvocationOf<typeof setCommand>): Promise<number> {
  const { global, environment } = invocation;
  const { suite: suites, allowErrored, withOutputs, prune, dryRun, add, run, note, root } = invocation.flags;
  const options = { paths: global.config, suites, allowErrored, withOutputs, prune, dryRun, add };
  const done = await setBaselines({ ...options, ...given({ run, note, root }) }, environment.core);
  if (!done.success) return printError(invocation, done.error);
  const [first] = done.data.ignored;
  if (first !== undefined) {
    const title = `Git ignores ${first}, so it will not be committed`;
    const fix = "Remove .kindlm from .gitignore. Runs stay out of commits, because .kindlm/runs has its own .gitignore";
    await environment.stderr.write(renderWarning({ title, fix }, errorViewOf(invocation)));
  }
  const text = render(done.data, { dryRun, add, names: global.verbose });
  return printAnswer(invocation, { data: toReported(done.data, dryRun), text });
}

function toReported({ run, suites, ignored }: SetBaselines, dryRun: boolean): unknown {
  const reported = suites.map(({ replaced, ...suite }) => ({ ...suite, replaced: reportedError(replaced) }));
  return { dryRun, run, ignored, suites: reported };
}

/** Ids that are written out. */
const mostNames = 5;

/** What became of the baselines, suite by suite. `names`: write out every case. */
function render(
  { run, suites }: SetBaselines,
  { dryRun, add, names }: { dryRun: boolean; add: boolean; names: boolean },
): string {
  const lines = suites.flatMap((suite) => [
    headlineOf(suite, dryRun),
    ...detailsOf(suite, names).map((line) => `  ${line}`),
  ]);
  const count = plural(suites.length, "baseline");
  const what = add ? `run ${run} to ${count}` : `${count} to run ${run}`;
  const end = dryRun
    ? `Would ${add ? "add" : "set"} ${what}`
    : `${add ? "Added" : "Set"} ${what}. Commit: ${filesOf(suites)}`;
  return `${[...lines, visibleLine(end)].join("\n")}\n`;
}

function headlineOf({ suite, added, updated, unchanged, failing }: SetBaseline, dryRun: boolean): string {
  const taken = added.length + updated.length + unchanged.length;
  const changes = [
    [added.length, "new"],
    [updated.length, "updated"],
    [unchanged.length, "unchanged"],
  ] as const;
  const told = changes.flatMap(([count, word]) => (count === 0 ? [] : [withCounts`${count} ${word}`])).join(", ");
  const mark = dryRun ? "–" : "✓";
  const failed = failing.length === 0 ? "" : withCounts`, including ${failing.length} failing`;
  return `${mark} ${visibleLine(suite)}: ${plural(taken, "case")} (${told})${failed}`;
}

function detailsOf({ failing, kept, pruned, left, replaced }: SetBaseline, names: boolean): readonly string[] {
  const list = (label: string, ids: readonly string[]): readonly string[] => {
    if (ids.length === 0) return [];
    const shown = names ? ids : ids.slice(0, mostNames);
    const more = ids.length > shown.length ? withCounts` and ${ids.length - shown.length} more` : "";
    return [`${label}: ${shown.map(visibleLine).join(", ")}${more}`];
  };
  const [problem] = replaced === null ? [] : explainError(replaced, false);
  return [
    ...(problem === undefined ? [] : [`replaces an unusable baseline: ${visibleLine(problem.title)}`]),
    ...list("failing", failing),
    ...list("kept, because the run did not produce a result for them", kept),
    ...list(
      "not saved",
      left.map(({ caseId, reason }) => `${caseId} (${reason})`),
    ),
    ...list("removed, because they are no longer in the config", pruned),
  ];
}

function filesOf(suites: readonly SetBaseline[]): string {
  const [first] = suites;
  return first === undefined || suites.length > 1 ? ".kindlm/baselines" : first.file;
}
