import type { TestResult } from "../run-result.js";

type Clustered = Pick<TestResult, "suite" | "name" | "row" | "group" | "model" | "prompt" | "fault">;

/** The rows of one test. */
interface TestRows {
  /** Of one model, prompt and fault, every row is there once; only with a second one do rows have to be found again. */
  first: Clustered;
  seen: Clustered[];
  seenAs: number[];
  numbers: Map<string | null, number> | null;
}

/**
 * Numbers the clusters of cases from 0, as `clusterOf` distinguishes them, and makes no text for each case, nor a table of
 * all rows where none comes twice: in a run of very many cases these would weigh more than all that is computed of them.
 */
export function createClusterNumbers(): (test: Clustered) => number {
  const groups = new Map<string, number>();
  const suites = new Map<string, Map<string, TestRows>>();
  let count = 0;
  const numberIn = <Key>(numbers: Map<Key, number>, key: Key): number => {
    let known = numbers.get(key);
    if (known === undefined) {
      known = count;
      count += 1;
      numbers.set(key, known);
    }
    return known;
  };
  const rowsOf = (test: Clustered): TestRows => {
    let tests = suites.get(test.suite);
    if (tests === undefined) suites.set(test.suite, (tests = new Map<string, TestRows>()));
    let rows = tests.get(test.name);
    if (rows === undefined) tests.set(test.name, (rows = { first: test, seen: [], seenAs: [], numbers: null }));
    return rows;
  };
  return (test) => {
    if (test.group !== undefined) return numberIn(groups, test.group);
    const rows = rowsOf(test);
    if (rows.numbers === null && isSameVariant(rows.first, test)) {
      rows.seen.push(test);
      rows.seenAs.push(count);
      count += 1;
      return count - 1;
    }
    rows.numbers ??= new Map(rows.seen.map(({ row }, index) => [row, rows.seenAs[index] ?? 0]));
    return numberIn(rows.numbers, test.row);
  };
}

function isSameVariant(one: Clustered, other: Clustered): boolean {
  return one.model === other.model && one.prompt === other.prompt && one.fault === other.fault;
}
