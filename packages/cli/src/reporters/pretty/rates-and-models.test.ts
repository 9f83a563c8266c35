import { describe, expect, it } from "vitest";
import { erroredCase, failedCase, passedCase, sampleRun } from "../../../../core/src/__fixtures__/sample-run.js";
import {
  kindlmError,
  type RenderOptions,
  renderToString,
  type RunResult,
  type SuiteResult,
  type TestResult,
} from "@kindlm/core";
import { prettyReporter } from "./pretty-reporter.js";

async function render(run: RunResult, options: Partial<RenderOptions> = {}): Promise<string> {
  const rendered = await renderToString(prettyReporter, run, options);
  if (!rendered.success) throw new Error(rendered.error.message);
  return rendered.data;
}

const suiteOf = (name: string, tests: readonly TestResult[]): SuiteResult => ({
  status: "run",
  name,
  file: "kindlm.yaml",
  tests,
});

/** A run whose summary is that of its cases. */
function runOf(suites: readonly SuiteResult[], changes: Partial<RunResult> = {}): RunResult {
  const all = suiteOf(
    "all",
    suites.flatMap(({ tests }) => tests),
  );
  const [rates] = sampleRun([all]).suiteSummaries;
  const sample = sampleRun(suites);
  if (rates === undefined) throw new Error("no summary");
  const { meanRate, errorRate, passK, earlyEnd } = rates;
  const summary = { ...sample.summary, meanRate, errorRate };
  if (passK !== undefined) summary.passK = passK;
  if (earlyEnd !== undefined) summary.earlyEnd = earlyEnd;
  return { ...sample, summary, ...changes };
}

const section = (text: string, title: string): readonly string[] => {
  const [, rest = ""] = `\n${text}`.split(new RegExp(`\n${title}(?: {2}.*)?\n`));
  return (rest.split("\n\n")[0] ?? "").split("\n").filter((line) => line !== "");
};

const mixed = (name: string, passes: number, more: object = {}): TestResult =>
  passedCase(name, { mixed: true, passes, runs: 5, counted: 5, required: 3, ...more });

describe("flaky cases and tests that are allowed to fail", () => {
  it("are listed, with what they need and why", async () => {
    const known = { allowFailure: "bug 42" };
    const tests = [
      mixed("shaky", 3),
      failedCase("broken", { row: "a", ...known }),
      passedCase("broken", { row: "b", ...known }),
      passedCase("healed", { allowFailure: "bug \u001b[31m41" }),
      mixed("half", 4, { allowFailure: "bug 40" }),
      erroredCase("dead", kindlmError("PROVIDER_TIMEOUT", "slow"), { allowFailure: "bug 39" }),
    ];
    const text = await render(runOf([suiteOf("Suite A", tests)]));
    expect(section(text, "FLAKY")).toEqual(["~ 3 of 5   Suite A/shaky@gpt", "~ 4 of 5   Suite A/half@gpt"]);
    expect(text).toContain("\nFLAKY  2 passed, but not every time\n");
    expect(section(text, "ALLOWED TO FAIL")).toEqual([
      "~ Suite A/broken: 1 failed of 2 cases — bug 42",
      "✓ Suite A/healed: passes again: remove allow_failure — bug ␛[31m41",
      "~ Suite A/half: not in every trial — bug 40",
      "~ Suite A/dead: 1 errored — bug 39",
    ]);
  });

  it("are cut where they are many, and not with --verbose", async () => {
    const tests = Array.from({ length: 25 }, (_, index) => mixed(`t${index}`, 3));
    const run = runOf([suiteOf("Suite A", tests)]);
    const short = section(await render(run), "FLAKY");
    expect([short.length, short.at(-1)]).toEqual([21, "  … and 5 more; --verbose shows all of them"]);
    expect(section(await render(run, { verbose: true }), "FLAKY")).toHaveLength(25);
  });

  it("have no section in a run without any", async () => {
    const text = await render(runOf([suiteOf("Suite A", [passedCase("a"), failedCase("b")])]));
    expect(["FLAKY", "ALLOWED TO FAIL", "MODELS", "Over trials"].filter((title) => text.includes(title))).toEqual([]);
  });
});

describe("rates over trials", () => {
  it("have a line for all, and with --verbose one per suite", async () => {
    const second = mixed("b", 1, { suite: "Suite B", id: "Suite B/b@gpt" });
    const run = runOf([suiteOf("Suite A", [mixed("a", 4)]), suiteOf("Suite B", [second])]);
    const text = await render(run);
    expect(text).toMatch(/^Over trials: mean 50% .* · p50 800 ms, p95 900 ms$/m);
    expect(text).not.toContain("RATES");
    expect(section(await render(run, { verbose: true }), "RATES")).toEqual([
      "  Suite A: mean 80% (34.4–99.5) · pass@5 100%, pass^5 0%",
      "  Suite B: mean 20% (0.5–65.6) · pass@5 100%, pass^5 0%",
    ]);
  });

  it("have the one line of the run where there is one suite, and report early ends", async () => {
    const early = failedCase("cut", { endedEarly: true, trialsRun: 2, runs: 5, mixed: true, passes: 1, required: 5 });
    const text = await render(runOf([suiteOf("Suite A", [mixed("a", 4), early])]));
    expect(text.replaceAll(/\n +/g, " ")).toContain(
      'cut: failed (Expected "hello" in the answer) — 1 of 2 runs passed (needs 5), ended early after 2 of 5 runs',
    );
    expect(text.replaceAll(/\s+/g, " ")).toMatch(
      /Over trials: mean 80% .*1 of 1 case with early_end ended early, and none of these is in the rates/,
    );
  });
});

describe("models next to one another", () => {
  const on = (model: string, name: string, passes: number, more: object = {}): TestResult =>
    passedCase(name, { id: `Suite A/${name}@${model}`, model, passes, counted: 4, runs: 4, ...more });

  it("are a table, the tests on which they differ, and what the difference is worth", async () => {
    const tests = ["same", "near", "far"].flatMap((name, index) => [
      on("gpt", name, 4),
      on("claude", name, 4 - 2 * index, { costUsd: null }),
    ]);
    const text = await render(runOf([suiteOf("Suite A", tests)]));
    const lines = text.slice(text.indexOf("\nMODELS"), text.indexOf("\nPass rate")).split("\n").slice(2);
    expect(lines).toEqual([
      "          mean rate (95% interval)  passed  errored  cost          mean latency",
      "  gpt     100% (71.8% to 100%)      3 of 3  0        $0.0030       812 ms",
      expect.stringMatching(/^ {2}claude {2}50% \(.*\) +3 of 3 {2}0 +cost unknown {2}812 ms$/),
      "",
      "                gpt   claude",
      "  Suite A/far   100%  0%",
      "  Suite A/near  100%  50%",
      "  1 test with equal results",
      "",
      expect.stringMatching(/^ {2}claude against gpt: −50 points \(−.* to .*\) · p = 0\.500 · 3 cases$/),
      "",
    ]);
  });

  it("stay short for hundreds of tests", async () => {
    const tests = Array.from({ length: 300 }, (_, index) => index).flatMap((index) => [
      on("gpt", `t${index}`, 4),
      on("claude", `t${index}`, index % 4),
    ]);
    const run = runOf([suiteOf("Suite A", tests)]);
    const short = await render(run);
    const from = (text: string): number =>
      text.slice(text.indexOf("\nMODELS"), text.indexOf("\nPass rate")).split("\n").length;
    expect(short).toContain("  … and 280 more tests with different results; --verbose shows all of them\n");
    expect(from(short)).toBeLessThan(35);
    expect(from(await render(run, { verbose: true }))).toBeGreaterThan(300);
  });
});
