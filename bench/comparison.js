import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cli, inTempFolder, medians, nodeAlone, row, wallMs } from "./support.js";

/** A suite of many cases with five trials each, whose agent answers "yes" at a known rate. */
function writeNoisyConfig(folder, { cases, rate }) {
  const rows = Array.from({ length: cases }, (_, number) => `{ number: "${number}" }`);
  writeFileSync(
    join(folder, "kindlm.yaml"),
    `version: 1
models:
  - id: agent
    provider: scripted
    script: { rules: [{ choose: [{ weight: ${rate}, reply: { text: yes } }, { weight: ${1 - rate}, reply: { text: no } }] }] }
defaults: { runs: 5 }
suites:
  - name: noisy
    tests:
      - name: asks
        input: "Question {{row.number}}?"
        rows: [${rows.join(", ")}]
        assert: [{ type: contains, value: "yes" }]
`,
  );
}

/** A comparison of 1,000 cases with a baseline: where nothing changed, and where hundreds of cases are flagged. */
export function comparisonRows() {
  const cases = 1_000;
  return inTempFolder((cwd) => {
    // Tests fail: that is what the comparison is about.
    const run = (seed, rate) => {
      writeNoisyConfig(cwd, { cases, rate });
      wallMs([cli, "test", "--seed", String(seed), "--baseline", "off"], { cwd, status: 1 });
    };
    const compare = (status) => () => wallMs([cli, "baseline", "compare"], { cwd, status });
    run(1, 0.9);
    wallMs([cli, "baseline", "set"], { cwd });
    return [
      [2, 0.9, "comparison", 0],
      [3, 0.2, "comparison, all worse", 1],
    ].map(([seed, rate, what, status]) => {
      run(seed, rate);
      const [compared, node] = medians([compare(status), nodeAlone], 9);
      return row(what, compared / node, 10, `${compared.toFixed(0)} ms ÷ ${node.toFixed(0)} ms, ${cases} cases × 5`);
    });
  });
}
