import type { RunResult, ErrorTexts, SuiteResult, TestResult } from "@kindlm/core";
import type { Invocation } from "../commands/command-definition.js";
import type { AsTyped } from "../arguments/as-typed.js";
import { commandOn, digestOptionsOf } from "../errors/error-view.js";
import { baselinesOf } from "./earlier-results.js";
import type { ReportOptions } from "../reporters/report-options.js";
import type { OutputStream } from "../sinks/output-stream.js";
import { isAsciiLocale } from "../terminal/signs.js";
import { columnsOf } from "../terminal/columns.js";
import { wantsColor } from "../terminal/wants-color.js";
import type { DigestOptions } from "../errors/digest-diagnostics.js";
import { explainDigested } from "../errors/explain-error.js";

/**
 * How a run of these configs is rendered to a stream, or to a file when there is none.
 *
 * @param result - the run whose errors are put into words; null if only parts of a report are rendered
 * @param run - ID of the run, if it need not be the last one: hints name it too
 */
export function renderOptionsFor(
  { flags, global, environment }: Pick<Invocation, "flags" | "global" | "environment">,
  configs: readonly string[],
  result: RunResult | null,
  run?: string,
): (stream: OutputStream | null) => ReportOptions {
  const digest = digestOptionsOf({ flags, global, environment }, configs);
  const { root } = flags;
  const project = { paths: configs, ...(typeof root === "string" ? { root } : {}) };
  const options = {
    verbose: global.verbose,
    redact: environment.redactor.redact,
    ...(result === null ? {} : { shownTrial: createShownTrial(result, environment.redactor.redact) }),
    ...(result === null ? {} : { errorTexts: errorTextsOf(result, { digest, asTyped: environment.asTyped }) }),
    digest,
    ...ciFacts(environment.env),
    asTyped: environment.asTyped,
    command: (words: string) => commandOn(environment.asTyped(onRun(words, run)), configs),
    readEarlier: async () => (result === null ? [] : baselinesOf(result, project, environment)),
  };
  return (stream) => ({
    ...options,
    ascii: stream !== null && isAsciiLocale(environment.env),
    groups: stream !== null && !stream.isTerminal && environment.env["GITHUB_ACTIONS"] === "true",
    color: stream !== null && wantsColor(environment, stream, global.color),
    width: columnsOf(environment, stream),
  });
}

/** A command about a run, with its name. `kindlm open` takes it as an argument; a new run takes none. */
function onRun(words: string, run: string | undefined): string {
  if (run === undefined || words === "kindlm test") return words;
  return `${words}${words === "kindlm open" ? "" : " --run"} ${run}`;
}

/** Finds the kinds of failures when the first trial is asked for, once for all reports. */
function createShownTrial(
  result: RunResult,
  redact: (text: string) => string,
): NonNullable<ReportOptions["shownTrial"]> {
  let shown: Promise<ReadonlyMap<TestResult, number>> | null = null;
  const find = async (): Promise<ReadonlyMap<TestResult, number>> => {
    const { findKinds } = await import("../findings/find-kinds.js");
    const cases = (await findKinds(result, redact)).flatMap((kind) => kind.cases);
    return new Map(cases.filter(({ trial }) => trial > 0).map(({ test, trial }) => [test, trial]));
  };
  return async (test) => {
    shown ??= find();
    return (await shown).get(test) ?? (test.status === "skipped" ? 0 : test.decisiveTrial);
  };
}

/** What a CI system knows and the work tree does not show. */
function ciFacts({
  KINDLM_COMMIT: commit = "",
  KINDLM_BASELINE_BRANCH: baselineBranch = "",
}: Readonly<Record<string, string | undefined>>): Pick<ReportOptions, "commit" | "baselineBranch"> {
  return {
    ...(/^[\da-f]{7,64}$/.test(commit) ? { commit } : {}),
    ...(baselineBranch === "" ? {} : { baselineBranch }),
  };
}

/** The errors of a run as its reports word them, without what `--verbose` adds. */
export function errorTextsOf(
  { suites }: RunResult,
  { digest, asTyped }: { digest: DigestOptions; asTyped: AsTyped },
): ErrorTexts {
  const linesOf = (explanations: ReturnType<typeof explainDigested>): readonly string[] =>
    explanations.flatMap(({ title, fix }) => (fix === undefined ? [title] : [title, asTyped(fix)]));
  const texts = new Map<SuiteResult | TestResult, readonly string[]>();
  for (const suite of suites) {
    if (suite.status === "skipped")
      texts.set(suite, linesOf(explainDigested(suite.error, { verbose: false, digest }, suite.diagnostics)));
    for (const test of suite.tests)
      if (test.status === "errored") texts.set(test, linesOf(explainDigested(test.error, { verbose: false, digest })));
  }
  return texts;
}
