import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { againstNode, cli, inTempFolder, wallMs } from "../support.js";

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

const unit = "÷ node -e 0";

/** A comparison of 1,000 cases with a baseline, after a run whose agent answers "yes" at the given rate. */
function comparison(name, { what, rate, status }) {
  return {
    name,
    what: `wall time of \`kindlm baseline compare\` of 1,000 cases with five trials each, ${what}, median of 9`,
    targets: { [unit]: 10 },
    measure: () =>
      inTempFolder(async (cwd) => {
        // Tests fail: that is what the comparison is about.
        const run = (seed, yes) => {
          writeNoisyConfig(cwd, { cases: 1_000, rate: yes });
          wallMs([cli, "test", "--seed", String(seed), "--baseline", "off"], { cwd, status: 1 });
        };
        run(1, 0.9);
        wallMs([cli, "baseline", "set"], { cwd });
        run(2, rate);
        return { [unit]: await againstNode([cli, "baseline", "compare"], 9, { cwd, status }) };
      }),
  };
}

export const comparisonFigures = [
  comparison("comparison", { what: "nothing changed", rate: 0.9, status: 0 }),
  comparison("comparison-all-worse", { what: "hundreds flagged", rate: 0.2, status: 1 }),
];
