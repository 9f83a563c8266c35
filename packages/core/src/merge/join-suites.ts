import type { SuiteResult, TestResult } from "../engine/run-result.js";
import type { ShardInfo } from "../plan/shard/shard-info.js";
import { failure, success, type Result } from "../result.js";
import type { MergeRefusal } from "./decide-merge.js";

/** The suites of a shard. */
export interface SuitePart {
  shown: string;
  suites: readonly SuiteResult[];
}

/** Puts the cases of all shards where the whole run has them. Fails where one is there twice, or nowhere. */
export function joinSuites(
  suites: ShardInfo["suites"],
  parts: readonly SuitePart[],
): Result<readonly SuiteResult[], MergeRefusal> {
  const joined: SuiteResult[] = [];
  for (const { name, cases } of suites) {
    const places: ({ test: TestResult; shown: string } | undefined)[] = Array.from({ length: cases });
    let found: SuiteResult | null = null;
    for (const { shown, suites: own } of parts) {
      const suite = own.find((one) => one.name === name);
      if (suite === undefined) continue;
      found ??= suite;
      for (const [index, test] of suite.tests.entries()) {
        const place = suite.places?.[index] ?? -1;
        const before = places[place];
        if (before !== undefined) {
          return refuse(`The case ${test.id} occurs twice: ${before.shown} and ${shown}`);
        }
        if (place < 0 || place >= cases) return refuse(`The case ${test.id} of ${shown} has no place in the run`);
        places[place] = { test, shown };
      }
    }
    const gap = places.findIndex((place) => place === undefined);
    if (gap !== -1) return refuse(`Case ${gap + 1} of suite "${name}" is in none of the shards`);
    if (found === null) return refuse(`Suite "${name}" is in none of the shards`);
    joined.push(
      withTests(
        found,
        places.flatMap((place) => (place === undefined ? [] : [place.test])),
      ),
    );
  }
  return success(joined);
}

function withTests(suite: SuiteResult, tests: readonly TestResult[]): SuiteResult {
  const { places: _ofShard, ...rest } = suite;
  return { ...rest, tests };
}

function refuse(message: string): Result<never, MergeRefusal> {
  return failure({ message, hint: "Run the shards again" });
}
