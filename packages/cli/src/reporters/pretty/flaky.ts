import type { QuarantinedTest, RunResult } from "@kindlm/core";
import { flakyCases, plural, quarantinedTests } from "@kindlm/core/program";
import type { PrettyView } from "./pretty-view.js";

const mostShown = 20;

/** The cases whose trials came out differently, and the tests whose failures do not count. */
export function* renderFlaky({ suites }: RunResult, view: PrettyView): Iterable<string> {
  const { palette } = view;
  const flaky = flakyCases(suites);
  if (flaky.length > 0) {
    yield `\n${palette.bold("Flaky")}\n`;
    for (const { id, passes, counted, required, runs, status } of shownOf(flaky, view)) {
      const needed = `needs ${required} of ${runs}: ${status}`;
      yield `  ${palette.yellow("~")} ${view.line(id)}: ${passes} of ${counted} passed (${needed})\n`;
    }
    yield* renderRest(flaky.length, "flaky case", view);
  }
  const quarantined = quarantinedTests(suites);
  if (quarantined.length === 0) return;
  yield `\n${palette.bold("Allowed to fail")}\n`;
  for (const one of shownOf(quarantined, view)) {
    yield `  ${renderQuarantined(one, view)} — ${view.line(one.reason)}\n`;
  }
  yield* renderRest(quarantined.length, "test", view);
}

function renderQuarantined({ suite, test, cases, failed, errored, passesAgain }: QuarantinedTest, view: PrettyView) {
  const { palette } = view;
  const name = view.line(`${suite}/${test}`);
  if (passesAgain) return `${palette.green("✓")} ${name}: passes again: remove allow_failure`;
  const counts = [...(failed > 0 ? [`${failed} failed`] : []), ...(errored > 0 ? [`${errored} errored`] : [])];
  const what = counts.length === 0 ? "not in every trial" : counts.join(", ");
  return `${palette.yellow("!")} ${name}: ${cases === 1 ? what : `${what} of ${plural(cases, "case")}`}`;
}

function shownOf<T>(all: readonly T[], { options }: PrettyView): readonly T[] {
  return options.verbose ? all : all.slice(0, mostShown);
}

function* renderRest(total: number, what: string, { options }: PrettyView): Iterable<string> {
  const hidden = total - mostShown;
  if (!options.verbose && hidden > 0) yield `  … and ${plural(hidden, `more ${what}`)}; --verbose shows all of them\n`;
}
