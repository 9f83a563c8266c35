import type { ErrorTexts, RunResult, SuiteResult, TestResult } from "@kindlm/core";
import type { DigestOptions } from "./digest-diagnostics.js";
import { explainDigested } from "./explain-error.js";

/** The errors of a run as its reports word them, without what `--verbose` adds. */
export function errorTextsOf({ suites }: RunResult, digest: DigestOptions): ErrorTexts {
  const texts = new Map<SuiteResult | TestResult, readonly string[]>();
  for (const suite of suites) {
    if (suite.status === "skipped")
      texts.set(suite, linesOf(explainDigested(suite.error, { verbose: false, digest }, suite.diagnostics)));
    for (const test of suite.tests)
      if (test.status === "errored") texts.set(test, linesOf(explainDigested(test.error, { verbose: false, digest })));
  }
  return texts;
}

function linesOf(explanations: ReturnType<typeof explainDigested>): readonly string[] {
  return explanations.flatMap(({ title, fix }) => (fix === undefined ? [title] : [title, fix]));
}
