import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../../__fixtures__/draws.js";
import { loadedProject } from "../../__fixtures__/config-project.js";
import { makeProject } from "../../__fixtures__/make-project.js";
import type { TestFilters } from "../run-options.js";
import { loadIdentifier } from "../identity/load-identifier.js";
import { planRun } from "../plan-run.js";
import type { RunPlan } from "../run-plan.js";
import { describeShard, durationsFile, takeShard, assignShards } from "./take-shard.js";
import { parseDurations, renderDurations } from "./durations.js";

const check = [{ type: "contains", value: "x" }];
const test = (name: string, more: object = {}) => ({ name, input: "hi", assert: check, ...more });
const config = (suites: readonly unknown[], more: object = {}): string =>
  JSON.stringify({ version: 1, models: [{ id: "m", provider: "openai", model: "x" }], suites, ...more });
const several = [
  {
    name: "first",
    tests: [test("a"), test("b", { rows: [{ id: 1 }, { id: 2 }] }), test("c", { skip: true, runs: 3 })],
  },
  { name: "broken", tests: [test("d"), test("e"), { ...test("f"), assert: [{ type: "unheard" }] }] },
  { name: "last", tests: Array.from({ length: 9 }, (_, index) => test(`t${index}`)) },
];

async function planOf(
  text: string,
  filters: TestFilters = {},
): Promise<{ plan: RunPlan; loaded: Awaited<ReturnType<typeof loadedProject>> }> {
  const loaded = await loadedProject({ "kindlm.yaml": text });
  const plan = planRun(loaded, { paths: [], filters });
  if (!plan.success) throw new Error(plan.error.message);
  return { plan: plan.data, loaded };
}

async function planOfShard(whole: RunPlan, index: number, of: number): Promise<RunPlan> {
  const taken = await takeShard(whole, { shard: { index, of } }, whole.root);
  if (!taken.success) throw new Error(taken.error.message);
  return taken.data;
}

const idsOf = (plan: RunPlan): string[] => [
  ...[...plan.cases()].map(({ id }) => id),
  ...plan.suites.flatMap((suite) => (suite.status === "broken" ? suite.cases.map(({ id }) => id) : [])),
];

describe("a shard of a plan", () => {
  it("has every case of the run in exactly one place, those of broken suites too", async () => {
    const { plan: whole } = await planOf(config(several));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), async (of) => {
        const shards = await Promise.all(Array.from({ length: of }, (_, index) => planOfShard(whole, index + 1, of)));
        expect(shards.flatMap(idsOf).toSorted()).toEqual(idsOf(whole).toSorted());
        for (const suite of whole.suites) {
          const parts = shards.flatMap((shard) => shard.suites.filter(({ name }) => name === suite.name));
          const size = suite.status === "ready" ? suite.caseCount : suite.cases.length;
          const places = parts.flatMap((part) => part.places ?? []);
          expect(places.toSorted((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, place) => place));
        }
        expect(shards.reduce((sum, { trialCount }) => sum + trialCount, 0)).toBe(whole.trialCount);
        for (const shard of shards) {
          expect([...shard.cases()].map(({ index }) => index)).toEqual(
            Array.from({ length: shard.caseCount }, (_, index) => index),
          );
        }
      }),
      { numRuns: draws({ brief: 8, full: 200 }) },
    );
  });

  it("keeps its cases when others are added, and is filtered first", async () => {
    const { plan } = await planOf(config(several));
    const more = [
      { name: "new", tests: [test("z")] },
      ...several.map((suite) => ({ ...suite, tests: [test("new"), ...suite.tests] })),
    ];
    const { plan: grown } = await planOf(config(more));
    const { plan: filtered } = await planOf(config(several), { tests: ["t3", "t4", "t5"] });
    for (const index of [1, 2, 3]) {
      const before = idsOf(await planOfShard(plan, index, 3));
      expect(idsOf(await planOfShard(grown, index, 3))).toEqual(expect.arrayContaining(before));
      expect(idsOf(await planOfShard(filtered, index, 3))).toEqual(before.filter((id) => /t[345]/.test(id)));
    }
  });

  it("reports a suite without cases that are known in one shard", async () => {
    const { plan: whole } = await planOf(
      config([
        { name: "none", tests: 3 },
        { name: "s", tests: [test("a")] },
      ]),
    );
    const shards = await Promise.all([1, 2, 3].map((index) => planOfShard(whole, index, 3)));
    expect(shards.filter(({ suites }) => suites.some(({ name }) => name === "none"))).toHaveLength(1);
  });

  it("is cut by the durations of the project, or of the file that is named", async () => {
    const { plan: whole, loaded } = await planOf(config([{ name: "s", tests: [test("a"), test("b"), test("c")] }]));
    const text = '{"version":1,"cases":{"s/a@m":9,"s/b@m":5,"s/c@m":4}}';
    const folder = makeProject({
      ".kindlm/durations.json": text,
      "other.json": text.replace("9", "1"),
      "bad.json": "{",
    });
    const beside = { ...whole, root: folder };
    const cut = async (durations?: string) =>
      takeShard(
        beside,
        { shard: { index: 1, of: 2 }, ...(durations === undefined ? {} : { shardDurations: durations }) },
        folder,
      );
    const [own, other] = [await cut(), await cut("other.json")];
    if (!own.success || !other.success) throw new Error("Not cut");
    expect([idsOf(own.data), idsOf(other.data)]).toEqual([["s/a@m"], ["s/b@m"]]);
    expect(own.data.part?.durationsHash).not.toBe(other.data.part?.durationsHash);
    expect(await cut("missing.json")).toMatchObject({
      error: { code: "CONFIG_FILE_REF_ERROR", message: expect.stringContaining("missing.json") },
    });
    expect(await cut("bad.json")).toMatchObject({ error: { message: "bad.json cannot be used: it is not JSON" } });
    expect(durationsFile(folder)).toContain(folder);
    expect(loaded.suites).toHaveLength(1);
  });

  it("says of the whole run what its other parts say, and nothing of how it is run", async () => {
    const base = config(several);
    const infoOf = async (text: string, index = 1, options: object = {}) => {
      const loaded = await loadedProject({ "kindlm.yaml": text });
      const plan = planRun(loaded, { paths: [], ...options });
      if (!plan.success) throw new Error(plan.error.message);
      const { part } = await planOfShard(plan.data, index, 3);
      if (part === undefined) throw new Error("No part");
      return describeShard(part, await loadIdentifier(loaded, plan.data)).planHash;
    };
    const first = await infoOf(base);
    const changed = async (text: string, options = {}) => {
      const other = await infoOf(text, 1, options);
      return (["cases", "contents", "rules", "durations"] as const).filter((key) => first[key] !== other[key]);
    };
    expect(await infoOf(base, 2)).toEqual(first);
    expect(await changed(base, { concurrency: 3, retry: "disabled", bail: 2, seed: 9 })).toEqual([]);
    expect(await changed(base, { filters: { tests: ["t3"] } })).toEqual(["cases", "contents"]);
    expect(await changed(base, { runs: 2 })).toEqual(["contents"]);
    expect(await changed(base.replace('"name":"d"', '"name":"dd"'))).toEqual(["cases"]);
    expect(await changed(base.replace('"hi"', '"ho"'))).toEqual(["contents"]);
    expect(await changed(base.replace('"name":"a"', '"name":"a","critical":true'))).toEqual(["contents"]);
    expect(await changed(config(several, { gates: { errored: 0 } }))).toEqual(["rules"]);
    expect(await changed(config(several, { baseline: { alpha: 0.01 } }))).toEqual(["rules"]);
    expect(await changed(config(several.toReversed()))).toContain("cases");
  });
});

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
        expect(parseDurations([...renderDurations(durations)].join(""))).toEqual({ success: true, data: durations });
      }),
    );
  });

  it("has one line per case, in their order", () => {
    const durations = new Map([
      ["b", 2.4],
      ["a", 1],
    ]);
    expect([...renderDurations(durations)].join("")).toBe(
      '{\n  "version": 1,\n  "cases": {\n    "a": 1,\n    "b": 2\n  }\n}\n',
    );
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
