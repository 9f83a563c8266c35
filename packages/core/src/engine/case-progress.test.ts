import { expect, it, describe } from "vitest";
import { kindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase } from "../plan/run-plan.js";
import { CaseProgress, isDeterministicCase } from "./case-progress.js";
import { emptyTrial, unstartedTrial } from "./empty-trial.js";
import type { TrialResult } from "./run-result.js";
import { loadedProject } from "../__fixtures__/config-project.js";
import { planRun } from "../plan/plan-run.js";

const identity = { agentHash: "a", setupHash: "b", scoringHash: "c", passHash: "d" };

const ends = {
  passed: (trial: number): TrialResult => ({ ...emptyTrial("c", trial), status: "passed", error: null }),
  failed: (trial: number): TrialResult => ({ ...emptyTrial("c", trial), status: "failed", error: null }),
  outside: (trial: number) => unstartedTrial("c", trial, kindlmError("PROVIDER_TIMEOUT", "slow")),
  looping: (trial: number) => unstartedTrial("c", trial, kindlmError("ENGINE_MAX_TURNS", "loop")),
};

it.each([
  [["passed", "failed", "failed"], 2],
  [["passed", "outside", "failed"], 3],
  [["passed", "outside", "looping"], 2],
  [["passed", "passed"], 2],
] as const)("shows the trial that says most about %j, however they end", (kinds, decisive) => {
  const planned = {
    test: { name: "t" },
    prompt: { id: null },
    fault: { id: null, faults: [] },
    row: null,
    model: null,
    runs: kinds.length,
    required: 1,
  } as unknown as PlannedCase;
  const trials = kinds.map((kind, index) => ends[kind](index + 1));
  for (const order of [trials, trials.toReversed()]) {
    const progress = new CaseProgress(planned);
    for (const trial of order) progress.finish(trial);
    expect(progress.isOver).toBe(true);
    expect(progress.toResult(identity, false, (name) => name)).toMatchObject({ decisiveTrial: decisive });
  }
});

const script = "otherwise: { text: hello }";
const lots =
  "rules: [{ when: { turn: 1 }, choose: [{ weight: 1, reply: { text: a } }, { weight: 1, reply: { text: b } }] }]";

/** Of a test as the config has it, whether each of its cases is deterministic: asked for real, and replayed. */
async function decided(test: string): Promise<readonly [boolean, boolean][]> {
  const config = await loadedProject({
    "kindlm.yaml": `version: 1
models:
  - { id: steady, provider: scripted, script: script.yaml }
  - { id: drawing, provider: scripted, script: lots.yaml }
  - { id: live, provider: openai, model: gpt-4.1-mini }
  - { id: leaning, provider: scripted, script: script.yaml, fallback: [live], allow_fallback: true }
suites: [{ name: s, tests: [{ name: t, ${test.includes("assert") ? "" : "assert: [{ type: contains, value: x }], "}${test} }] }]
`,
    "script.yaml": script,
    "lots.yaml": lots,
  });
  const plan = planRun(config, { paths: [] });
  if (!plan.success) throw new Error(plan.error.message);
  return [...plan.data.cases()].map((one) => [isDeterministicCase(one, false), isDeterministicCase(one, true)]);
}

const user = (model: string): string => `simulated_user: { model: ${model}, goal: to be heard }`;

const judged = (model: string): string => `assert: [{ type: judge, criteria: c, model: ${model} }]`;

describe("isDeterministicCase", () => {
  it.each<[string, string, boolean, boolean]>([
    ["a script", "models: [steady], input: hi", true, true],
    ["a script that draws lots", "models: [drawing], input: hi", false, true],
    ["a live model", "models: [live], input: hi", false, true],
    ["a script for which a live model may answer", "models: [leaning], input: hi", false, true],
    ["a scripted user", `models: [steady], ${user("steady")}`, true, true],
    ["a user who draws lots", `models: [steady], ${user("drawing")}`, false, true],
    ["a live judge", `models: [steady], input: hi, ${judged("live")}`, false, true],
    ["a scripted judge", `models: [steady], input: hi, ${judged("steady")}`, true, true],
    ["a program", "target: { command: [cat] }, input: hi", false, false],
  ])("%s", async (_name, test, asked, replayed) => {
    expect(await decided(test)).toEqual([[asked, replayed]]);
  });
});
