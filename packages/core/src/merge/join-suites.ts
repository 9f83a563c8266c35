import type { SuiteResult, TestResult } from "../engine/run-result.js";
import type { ShardInfo } from "../plan/shard/shard-info.js";
import { failure, success, type Result } from "../result.js";
import type { MergeRefusal } from "./decide-merge.js";
import { createLazyList } from "./lazy-list.js";

/** The suites of a shard. */
export interface SuitePart {
  shown: string;
  suites: readonly SuiteResult[];
}

/** A suite of the whole run, and which case of which part each of its cases is. */
export interface JoinedSuite {
  suite: SuiteResult;
  parts: Uint32Array;
  /** Of the case among those of the suite in its part. */
  indexes: Uint32Array;
}

/** Puts the cases of all shards where the whole run has them. Fails where one is there twice, or nowhere. */
export function joinSuites(
  suites: ShardInfo["suites"],
  parts: readonly SuitePart[],
): Result<readonly JoinedSuite[], MergeRefusal> {
  const joined: JoinedSuite[] = [];
  for (const { name, cases } of suites) {
    const own = parts.map((part) => part.suites.find((suite) => suite.name === name));
    const owners = ownersOf(name, cases, parts, own);
    if (!owners.success) return owners;
    const found = own.find((suite) => suite !== undefined);
    if (found === undefined) return refuse(`Suite "${name}" is in none of the shards`);
    const { parts: numbers, indexes } = owners.data;
    const lists = own.map((suite) => suite?.tests ?? []);
    const tests = createLazyList(cases, (place) => lists[numbers[place] ?? 0]?.[indexes[place] ?? 0]);
    joined.push({ suite: withTests(found, tests), ...owners.data });
  }
  return success(joined);
}

function ownersOf(
  name: string,
  cases: number,
  parts: readonly SuitePart[],
  own: readonly (SuiteResult | undefined)[],
): Result<Omit<JoinedSuite, "suite">, MergeRefusal> {
  const found = new Uint8Array(cases);
  const owners = { parts: new Uint32Array(cases), indexes: new Uint32Array(cases) };
  for (const [number, { shown }] of parts.entries()) {
    const { tests = [], places = [] } = own[number] ?? {};
    for (let index = 0; index < tests.length; index += 1) {
      const place = places[index] ?? -1;
      const id = (): string => tests[index]?.id ?? "";
      if (found[place] === 1) {
        const before = parts[owners.parts[place] ?? 0]?.shown ?? "";
        return refuse(`The case ${id()} occurs twice: ${before} and ${shown}`);
      }
      if (place < 0 || place >= cases) return refuse(`The case ${id()} of ${shown} has no place in the run`);
      found[place] = 1;
      owners.parts[place] = number;
      owners.indexes[place] = index;
    }
  }
  const gap = found.indexOf(0);
  return gap === -1 ? success(owners) : refuse(`Case ${gap + 1} of suite "${name}" is in none of the shards`);
}

function withTests(suite: SuiteResult, tests: readonly TestResult[]): SuiteResult {
  const { places: _ofShard, tests: _ofPart, ...rest } = suite;
  return { ...rest, tests };
}

function refuse(message: string): Result<never, MergeRefusal> {
  return failure({ message, hint: "Run the shards again" });
}
