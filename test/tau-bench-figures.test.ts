import { expect, it } from "vitest";
import { runTests } from "./support/built-core.js";
import { airlinePasses, reportedPassHatK } from "../packages/core/src/statistics/__fixtures__/tau-bench-airline.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";

/** An agent that solves each task in as many of its four trials as the published one did. */
const agent = `const passes = ${JSON.stringify(airlinePasses)};
const asked = passes.map(() => 0);
export function solve(input) {
  const task = Number(input);
  asked[task] += 1;
  return asked[task] <= passes[task] ? "solved" : "not today";
}
`;
const config = `version: 1
defaults: { runs: 4 }
suites:
  - name: airline
    target: { module: "./agent.mjs#solve" }
    tests:
      - name: task
        input: "{{row.number}}"
        rows: [${airlinePasses.map((_, number) => `{ number: "${number}" }`).join(", ")}]
        assert: [{ type: equals, value: solved }]
`;

it("gives the figures that are published for the airline tasks of tau-bench", async () => {
  const cwd = makeProject({ "kindlm.yaml": config, "agent.mjs": agent });
  const ran = await runTests({ paths: [] }, { cwd, env: {} });
  if (!ran.success) throw new Error(ran.error.message);
  const { passK = [], meanRate } = ran.data.summary;
  expect(passK.map(({ k, cases }) => [k, cases])).toEqual([1, 2, 3, 4].map((k) => [k, 50]));
  expect(passK.map(({ passHatK }) => Number(passHatK.toFixed(3)))).toEqual(reportedPassHatK);
  expect(meanRate?.mean).toBeCloseTo(0.42, 12);
}, 60_000);
