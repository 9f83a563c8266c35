import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { RunComparison } from "../../packages/core/src/index.js";
import { runTests, setBaselines } from "./built-core.js";
import { makeProject } from "./make-project.js";

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

/** How often each verdict came. */
export type VerdictCounts = Readonly<Record<"ok" | "regressed" | "inconclusive", number>>;

/**
 * Whole runs of an agent whose pass rate is known: it answers "yes" by chance, and the tests want "yes". Blesses runs at
 * one rate and compares others at another with them; every run has a seed of its own, the same at every call.
 */
export async function simulateComparisons(before: number, after: number, pairs: number): Promise<VerdictCounts> {
  const cwd = makeProject({ "kindlm.yaml": config, "agent.yaml": script(before) });
  let seed = 0;
  const run = async (rate: number): Promise<RunComparison | undefined> => {
    writeFileSync(join(cwd, "agent.yaml"), script(rate));
    seed += 1;
    const ran = await runTests({ paths: [], runs: 3, seed }, { cwd, env: {} });
    if (!ran.success) throw new Error(ran.error.message);
    return ran.data.comparison;
  };
  const verdicts = { ok: 0, regressed: 0, inconclusive: 0 };
  for (let pair = 0; pair < pairs; pair += 1) {
    await run(before);
    const blessed = await setBaselines({ paths: [] }, { cwd, env: {} });
    if (!blessed.success) throw new Error(blessed.error.message);
    const comparison = await run(after);
    const [suite] = comparison?.suites ?? [];
    expect(suite).toMatchObject({ status: "compared", noisyCases: cases, clusters: cases, alpha: 0.05 });
    verdicts[comparison?.verdict ?? expect.unreachable("a comparison has a verdict")] += 1;
  }
  return verdicts;
}
