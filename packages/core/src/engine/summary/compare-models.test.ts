import { describe, expect, it } from "vitest";
import { erroredCase, failedCase, passedCase, skippedCase } from "../../__fixtures__/sample-run.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { compareModels } from "./compare-models.js";
import type { SuiteResult, TestResult } from "../run-result.js";

const suiteOf = (tests: readonly TestResult[]): SuiteResult[] => [{ status: "run", name: "s", file: "f", tests }];
const on = (model: string, name: string, passes: number, counted = 4, more: object = {}): TestResult =>
  passedCase(name, { id: `s/${name}@${model}`, model, passes, counted, runs: counted, ...more });

describe("compareModels", () => {
  it("has nothing to say of one model", async () => {
    expect(await compareModels(suiteOf([on("a", "t", 1), on("a", "u", 2)]), 1)).toBeNull();
    expect(await compareModels(suiteOf([on("a", "t", 1), skippedCase("t", { model: "b" })]), 1)).toBeNull();
  });

  it("puts models beside one another, test by test", async () => {
    const tests = [on("a", "t", 4), on("b", "t", 2, 4, { costUsd: null, latencyMs: 10 }), on("a", "only", 0)];
    const compared = await compareModels(suiteOf(tests), 1);
    expect(compared?.variants).toMatchObject([
      { name: "a", model: "a", prompt: null, cases: 2, rate: 0.5, costUsd: 0.002, latencyMs: 812 },
      { name: "b", cases: 1, rate: 0.5, costUsd: null, latencyMs: 10, meanRate: { mean: 0.5, cases: 1 } },
    ]);
    expect(compared?.tests.map(({ test, cells }) => [test, ...cells.map((cell) => cell?.rate ?? null)])).toEqual([
      ["t", 1, 0.5],
      ["only", 0, null],
    ]);
    expect(compared?.differences).toMatchObject([{ from: "a", to: "b", cases: 1, mean: -0.5, p: 1 }]);
  });

  it("takes prompts for variants too", async () => {
    const compared = await compareModels(
      suiteOf([on("a", "t", 4, 4, { prompt: "x" }), on("a", "t", 1, 4, { prompt: "y" })]),
      1,
    );
    expect(compared?.variants.map(({ name }) => name)).toEqual(["a#x", "a#y"]);
  });

  it("pairs what is the same, and tests the difference both ways over clusters", async () => {
    const names = Array.from({ length: 8 }, (_, index) => `t${index}`);
    const tests = names.flatMap((name) => [on("a", name, 4), on("b", name, 1)]);
    const [difference] = (await compareModels(suiteOf(tests), 1))?.differences ?? [];
    // Eight of eight clusters the same way, counted on both sides: 2 ÷ 2⁸.
    expect(difference).toMatchObject({ cases: 8, clusters: 8, mean: -0.75, p: 2 / 256 });
    const [low, high] = difference?.interval ?? [0, 0];
    expect([low < -0.75, high > -0.75, high < 0]).toEqual([true, true, true]);
    const grouped = tests.map((test) => ({ ...test, group: "g" }));
    expect((await compareModels(suiteOf(grouped), 1))?.differences).toMatchObject([{ cases: 8, clusters: 1, p: 1 }]);
  });

  it("leaves out cases without an unbiased rate, on either side", async () => {
    const slow = kindlmError("PROVIDER_TIMEOUT", "slow");
    const tests = [
      on("a", "t", 4),
      on("b", "t", 4),
      on("a", "early", 1, 1, { endedEarly: true, trialsRun: 1 }),
      on("b", "early", 4),
      on("a", "dead", 4),
      erroredCase("dead", slow, { model: "b", id: "s/dead@b" }),
      failedCase("known", { model: "b", id: "s/known@b", allowFailure: "bug" }),
      on("a", "known", 4),
    ];
    expect((await compareModels(suiteOf(tests), 1))?.differences).toMatchObject([{ cases: 1, mean: 0 }]);
  });

  it("compares few models pair by pair, and many with the first alone", async () => {
    const modelsOf = (count: number) => Array.from({ length: count }, (_, index) => on(`m${index}`, "t", 2));
    expect((await compareModels(suiteOf(modelsOf(4)), 1))?.differences).toHaveLength(6);
    expect((await compareModels(suiteOf(modelsOf(9)), 1))?.differences.map(({ from }) => from)).toEqual(
      Array(8).fill("m0"),
    );
  });

  it("gives the same p for the same seed, also where trials differ in number", async () => {
    const tests = Array.from({ length: 30 }, (_, index) => index).flatMap((index) => [
      on("a", `t${index}`, index % 5, 5),
      on("b", `t${index}`, index % 3, 3),
    ]);
    const [one, other] = [await compareModels(suiteOf(tests), 7), await compareModels(suiteOf(tests), 7)];
    expect(one).toEqual(other);
  });
});
