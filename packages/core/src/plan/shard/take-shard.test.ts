import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadedProject } from "../../__fixtures__/config-project.js";
import { makeProject } from "../../__fixtures__/make-project.js";
import type { TestFilters } from "../run-options.js";
import { loadIdentifier } from "../identity/load-identifier.js";
import { planRun } from "../plan-run.js";
import type { RunPlan } from "../run-plan.js";
import { describeShard } from "./describe-shard.js";
import { durationsFile, takeShard } from "./take-shard.js";

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

async function shardOf(whole: RunPlan, index: number, of: number): Promise<RunPlan> {
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
        const shards = await Promise.all(Array.from({ length: of }, (_, index) => shardOf(whole, index + 1, of)));
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
      { numRuns: 15 },
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
      const before = idsOf(await shardOf(plan, index, 3));
      expect(idsOf(await shardOf(grown, index, 3))).toEqual(expect.arrayContaining(before));
      expect(idsOf(await shardOf(filtered, index, 3))).toEqual(before.filter((id) => /t[345]/.test(id)));
    }
  });

  it("reports a suite without cases that are known in one shard", async () => {
    const { plan: whole } = await planOf(
      config([
        { name: "none", tests: 3 },
        { name: "s", tests: [test("a")] },
      ]),
    );
    const shards = await Promise.all([1, 2, 3].map((index) => shardOf(whole, index, 3)));
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
      const { part } = await shardOf(plan.data, index, 3);
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
