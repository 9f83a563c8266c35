import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assignShards } from "./assign-shards.js";
import { parseDurations, renderDurations } from "./durations.js";

const caseIds = fc.uniqueArray(fc.string({ maxLength: 12 }), { maxLength: 60 });
const shardCounts = fc.integer({ min: 1, max: 12 });
const durationsOf = fc
  .uniqueArray(fc.tuple(fc.string({ maxLength: 8 }), fc.integer({ min: 0, max: 100_000 })), {
    selector: ([id]) => id,
    maxLength: 60,
  })
  .map((entries) => new Map(entries));

function longestShard(durations: ReadonlyMap<string, number>, of: number): number {
  const shardOf = assignShards(of, durations);
  const loads = Array.from({ length: of }, () => 0);
  for (const [id, durationMs] of durations) loads[shardOf(id) - 1] = (loads[shardOf(id) - 1] ?? 0) + durationMs;
  return Math.max(...loads);
}

/** By trying every way to split them. */
function shortestPossible(
  [first, ...rest]: readonly number[],
  of: number,
  loads = Array.from({ length: of }, () => 0),
): number {
  if (first === undefined) return Math.max(...loads);
  return Math.min(...loads.map((load, shard) => shortestPossible(rest, of, loads.with(shard, load + first))));
}

describe("assignShards", () => {
  it("puts every case into one shard that there is, the same on every machine", () => {
    fc.assert(
      fc.property(caseIds, shardCounts, durationsOf, (ids, of, durations) => {
        const [here, there] = [assignShards(of, durations), assignShards(of, new Map([...durations].toReversed()))];
        for (const id of [...ids, ...durations.keys()]) {
          expect(here(id)).toBeGreaterThanOrEqual(1);
          expect(here(id)).toBeLessThanOrEqual(of);
          expect(Number.isInteger(here(id))).toBe(true);
          expect(there(id)).toBe(here(id));
        }
      }),
    );
  });

  it("does not move a case, whichever others it is asked about", () => {
    const shardOf = assignShards(4, new Map([["slow", 9]]));
    const before = ["a", "b", "slow"].map(shardOf);
    for (let number = 0; number < 100; number += 1) shardOf(`new ${number}`);
    expect(["a", "b", "slow"].map(shardOf)).toEqual(before);
  });

  it("keeps where cases are from version to version", () => {
    const shardOf = assignShards(4, new Map());
    expect(["s/a@m", "s/b@m", "s/c@m", "s/d@m", "s/e@m"].map(shardOf)).toEqual([2, 3, 1, 1, 2]);
  });

  it("gives no shard more than the bounds of dealing out longest first", () => {
    fc.assert(
      fc.property(durationsOf, shardCounts, (durations, of) => {
        const lengths = [...durations.values()];
        const total = lengths.reduce((sum, one) => sum + one, 0);
        expect(longestShard(durations, of)).toBeLessThanOrEqual(
          total / of + (1 - 1 / of) * Math.max(0, ...lengths) + 1e-6,
        );
      }),
    );
    const few = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 7 });
    fc.assert(
      fc.property(few, fc.integer({ min: 1, max: 3 }), (lengths, of) => {
        const durations = new Map(lengths.map((length, index) => [`case ${index}`, length]));
        expect(longestShard(durations, of)).toBeLessThanOrEqual(
          shortestPossible(lengths, of) * (4 / 3 - 1 / (3 * of)) + 1e-6,
        );
      }),
    );
  });

  it("spreads what it knows nothing about", () => {
    const shardOf = assignShards(4, new Map());
    const counts = [0, 0, 0, 0];
    for (let number = 0; number < 4_000; number += 1) {
      const shard = shardOf(`suite/test-${number}@model`) - 1;
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    for (const count of counts) expect(count).toBeGreaterThan(900);
  });

  it("balances by what is known", () => {
    const shardOf = assignShards(
      2,
      new Map([
        ["a", 100],
        ["b", 60],
        ["c", 50],
        ["d", 10],
      ]),
    );
    expect(["a", "b", "c", "d"].map(shardOf)).toEqual([1, 2, 2, 1]);
  });
});

describe("a file of durations", () => {
  it("is read as it was written, whatever the ids", () => {
    fc.assert(
      fc.property(durationsOf, (durations) => {
        expect(parseDurations(renderDurations(durations))).toEqual({ success: true, data: durations });
      }),
    );
  });

  it("has one line per case, in their order", () => {
    expect(
      renderDurations(
        new Map([
          ["b", 2.4],
          ["a", 1],
        ]),
      ),
    ).toBe('{\n  "version": 1,\n  "cases": {\n    "a": 1,\n    "b": 2\n  }\n}\n');
  });

  it.each([
    ["{", "it is not JSON"],
    ["[]", "it holds no durations of cases"],
    ['{"version":1}', "it holds no durations of cases"],
    ['{"version":2,"cases":{}}', "it was written by another version of KindLM"],
    ['{"version":1,"cases":{"a":"1"}}', "the duration of a is not a number"],
    ['{"version":1,"cases":{"a":-1}}', "the duration of a is not a number"],
  ])("says what is wrong with %s", (text, error) => {
    expect(parseDurations(text)).toEqual({ success: false, error });
  });
});
