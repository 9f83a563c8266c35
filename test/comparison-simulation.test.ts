import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { runTests, setBaselines, type RunComparison } from "../packages/core/src/index.js";
import { makeProject } from "./support/make-project.js";

// Whole runs of an agent whose pass rate is known: it answers "yes" by chance, and the tests want "yes".
const cases = 20;
const script = (rate: number): string => `rules:
  - choose:
      - { weight: ${rate}, reply: { text: yes } }
      - { weight: ${1 - rate}, reply: { text: no } }
`;
const config = `version: 1
models: [{ id: agent, provider: scripted, script: agent.yaml }]
suites:
  - name: simulated
    tests:
      - name: asks
        input: "Question {{row.number}}?"
        rows: [${Array.from({ length: cases }, (_, number) => `{ number: "${number}" }`).join(", ")}]
        assert: [{ type: contains, value: "yes" }]
`;

/** Blesses runs at one rate and compares others at another with them; every run has a seed of its own. */
async function verdictsOf(before: number, after: number, pairs: number): Promise<readonly string[]> {
  const cwd = makeProject({ "kindlm.yaml": config, "agent.yaml": script(before) });
  let seed = 0;
  const run = async (rate: number): Promise<RunComparison | undefined> => {
    writeFileSync(join(cwd, "agent.yaml"), script(rate));
    seed += 1;
    const ran = await runTests({ paths: [], runs: 3, seed }, { cwd, env: {} });
    if (!ran.success) throw new Error(ran.error.message);
    return ran.data.comparison;
  };
  const verdicts: string[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    await run(before);
    const blessed = await setBaselines({ paths: [] }, { cwd, env: {} });
    if (!blessed.success) throw new Error(blessed.error.message);
    const comparison = await run(after);
    const [suite] = comparison?.suites ?? [];
    expect(suite).toMatchObject({ status: "compared", noisyCases: cases, clusters: cases, alpha: 0.05 });
    verdicts.push(comparison?.verdict ?? "none");
  }
  return verdicts;
}

const count = (verdicts: readonly string[], wanted: string): number =>
  verdicts.filter((verdict) => verdict === wanted).length;

it("seldom calls a run regressed that is no other than its baseline", async () => {
  const verdicts = await verdictsOf(0.85, 0.85, 40);
  // With false alarms in 5 % of the comparisons, 12 of 40 would come once in 2.7 million times.
  expect(count(verdicts, "regressed")).toBeLessThan(12);
  // Runs that were all alike would be told apart from nothing: they differ, and three trials of twenty cases are few.
  expect(count(verdicts, "inconclusive")).toBeGreaterThan(20);
}, 60_000);

it("finds a large drop nearly always", async () => {
  // Power for 0.9 to 0.4 with 20 cases of three trials: above 0.999.
  expect(count(await verdictsOf(0.9, 0.4, 12), "regressed")).toBeGreaterThanOrEqual(11);
}, 60_000);
