import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { draws } from "../packages/core/src/__fixtures__/draws.js";
import { lowerBound } from "../packages/core/src/statistics/__fixtures__/lower-bound.js";
import type { RunComparison } from "../packages/core/src/index.js";
import { runTests, setBaselines } from "./support/built-core.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";

const script = (rate: number): string => `rules:
  - choose:
      - { weight: ${rate}, reply: { text: yes } }
      - { weight: ${1 - rate}, reply: { text: no } }
`;
interface Design {
  suites: number;
  /** Of each suite. */
  cases: number;
  runs: number;
}

const suiteText = (index: number, cases: number): string => `
  - name: simulated-${index}
    tests:
      - name: asks
        input: "Question {{row.number}} of ${index}?"
        rows: [${Array.from({ length: cases }, (_, number) => `{ number: "${number}" }`).join(", ")}]
        assert: [{ type: contains, value: "yes" }]`;
const configText = ({ suites, cases }: Design): string => `version: 1
models: [{ id: agent, provider: scripted, script: agent.yaml }]
suites:${Array.from({ length: suites }, (_, index) => suiteText(index, cases)).join("")}
`;

/**
 * Whole runs of an agent whose pass rate is known: it answers "yes" by chance, and the tests want "yes". Blesses runs at
 * one rate and compares others at another with them; every run has a seed of its own, the same at every call.
 */
async function countVerdicts(
  before: number,
  after: number,
  pairs: number,
  design: Design = { suites: 1, cases: 20, runs: 3 },
) {
  const { suites, cases, runs } = design;
  const cwd = makeProject({ "kindlm.yaml": configText(design), "agent.yaml": script(before) });
  let seed = 0;
  const run = async (rate: number): Promise<RunComparison | undefined> => {
    writeFileSync(join(cwd, "agent.yaml"), script(rate));
    seed += 1;
    const ran = await runTests({ paths: [], runs, seed }, { cwd, env: {} });
    if (!ran.success) throw new Error(ran.error.message);
    return ran.data.comparison;
  };
  const verdicts = { ok: 0, regressed: 0, inconclusive: 0 };
  for (let pair = 0; pair < pairs; pair += 1) {
    await run(before);
    const blessed = await setBaselines({ paths: [] }, { cwd, env: {} });
    if (!blessed.success) throw new Error(blessed.error.message);
    const comparison = await run(after);
    const compared = { status: "compared", noisyCases: cases, clusters: cases, alpha: 0.05, adjusted: { suites } };
    expect(comparison?.suites).toMatchObject(Array.from({ length: suites }, () => compared));
    verdicts[comparison?.verdict ?? expect.unreachable("a comparison has a verdict")] += 1;
  }
  return verdicts;
}

it("seldom calls a run regressed that is no other than its baseline", async () => {
  const pairs = draws({ brief: 4, full: 200 });
  const { regressed, inconclusive } = await countVerdicts(0.85, 0.85, pairs);
  // With false alarms in 5% of the comparisons, 2 of 4 would come once in 71 times, and 21 of 200 once in 700 times.
  expect(regressed).toBeLessThan(draws({ brief: 2, full: 21 }));
  // Runs that were all alike would be told apart from nothing: they differ, and three trials of twenty cases are few.
  expect(inconclusive).toBeGreaterThan(pairs / 2);
});

it("finds a large drop nearly always", async () => {
  // Power for 0.9 to 0.4 with 20 cases of three trials: above 0.999.
  const pairs = draws({ brief: 2, full: 60 });
  const { regressed } = await countVerdicts(0.9, 0.4, pairs);
  expect(regressed).toBeGreaterThanOrEqual(draws({ brief: pairs, full: pairs - 1 }));
});

it("seldom calls a run of ten suites regressed in which nothing changed", { timeout: 1_800_000 }, async () => {
  const pairs = draws({ brief: 2, full: 2_000 });
  const { regressed } = await countVerdicts(0.7, 0.7, pairs, { suites: 10, cases: 8, runs: 2 });
  expect(lowerBound(regressed, pairs)).toBeLessThanOrEqual(0.05);
});
