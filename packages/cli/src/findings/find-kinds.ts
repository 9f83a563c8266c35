import type { RunResult, SourcePosition, TestResult } from "@kindlm/core";
import { failurePosition } from "@kindlm/core/program";
import { describeFailure, type Failure } from "./describe-failure.js";

/** A case that failed in the way of its kind. */
export interface FailedCase {
  test: TestResult & { status: "failed" };
  /** Number of the first of its trials that failed in this way; 0 if none is left. */
  trial: number;
  /** What differs from case to case, in the order of the columns of the kind; empty where this case has nothing. */
  values: readonly string[];
  /** Why it failed, in a few words for one line. */
  reason: string;
}

/** Cases that failed in the same way. Text is masked, and not yet escaped for where it is shown. */
export interface FailureKind {
  /** From 1: the handle of `kindlm show 1`. */
  number: number;
  /** A sentence without a period, such as `issue_refund is called with the wrong amount`. */
  title: string;
  /** Such as how the judge came to its score; of the shown trial. */
  note: string | null;
  /** The assertion that failed; null if none did by itself, as with a threshold. */
  assertion: Failure["assertion"];
  /** Where the config has the assertion that the shown case failed, else its test. */
  position: SourcePosition | null;
  /** What differs from case to case. */
  columns: readonly string[];
  /** In the order of the config. The first one, with its `trial`, is what is shown of the kind. */
  cases: readonly [FailedCase, ...FailedCase[]];
}

/** A case with the words of its failure, until those of its kind are known. */
interface Found {
  test: FailedCase["test"];
  trial: number;
  failure: Failure;
  position: SourcePosition | null;
}

/**
 * Groups the failed cases by the way in which they failed: equal are assertion type, id, user turn, tool, first
 * differing path, and sort of difference, with values replaced by their types. A case whose trials failed in several
 * ways belongs to the commonest of them. The kinds with the most cases come first.
 *
 * Reads the trials of the failed cases one at a time, and keeps none of them.
 */
export async function findKinds(
  { suites, trials }: Pick<RunResult, "suites" | "trials">,
  redact: (text: string) => string,
): Promise<readonly FailureKind[]> {
  const groups = new Map<string, [Found, ...Found[]]>();
  for (const { tests } of suites) {
    for (const test of tests) {
      if (test.status !== "failed") continue;
      const found = await findFailure(test, trials, redact);
      const group = groups.get(found.failure.key);
      if (group === undefined) groups.set(found.failure.key, [found]);
      else group.push(found);
    }
  }
  return [...groups.values()].toSorted((a, b) => b.length - a.length).map((group, index) => toKind(group, index + 1));
}

/** The way in which most of the failed trials of a case failed, as the first of them shows it. */
async function findFailure(
  test: FailedCase["test"],
  trials: RunResult["trials"],
  redact: (text: string) => string,
): Promise<Found> {
  const ways = new Map<string, { first: Found; count: number }>();
  for await (const trial of trials(test.id)) {
    if (trial.status !== "failed" || trial.fresh === true) continue;
    const failure = describeFailure(trial, redact);
    const way = ways.get(failure.key);
    if (way === undefined)
      ways.set(failure.key, {
        first: { test, trial: trial.trial, failure, position: failurePosition(test, trial.assertions) },
        count: 1,
      });
    else way.count += 1;
  }
  let commonest: { first: Found; count: number } | null = null;
  for (const way of ways.values()) if (commonest === null || way.count > commonest.count) commonest = way;
  return commonest?.first ?? { test, trial: 0, failure: describeFailure(null, redact), position: test.position };
}

function toKind(group: readonly [Found, ...Found[]], number: number): FailureKind {
  const [shown, ...others] = group;
  const { title, general, note = null, assertion, columns = {} } = shown.failure;
  const names = Object.keys(columns);
  const toCase = ({ test, trial, failure }: Found): FailedCase => ({
    test,
    trial,
    values: names.map((name) => failure.columns?.[name] ?? ""),
    reason: failure.reason,
  });
  return {
    number,
    title: others.every(({ failure }) => failure.title === title) ? title : (general ?? title),
    note,
    assertion,
    position: shown.position,
    columns: names,
    cases: [toCase(shown), ...others.map(toCase)],
  };
}
