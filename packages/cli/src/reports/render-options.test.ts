import { kindlmError } from "@kindlm/core";
import { expect, it } from "vitest";
import {
  erroredCase,
  failedCase,
  inSuite,
  passedCase,
  sampleAssertion,
  threeSuites,
} from "../../../core/src/__fixtures__/sample-run.js";
import { fakeEnvironment } from "../__fixtures__/fake-environment.js";
import { errorTextsOf, renderOptionsFor } from "./render-options.js";

const given = { flags: {}, global: { config: [], verbose: false, color: false }, environment: fakeEnvironment() };

it("has what is wrong and what to do for each case that ended with an error, and nothing for others", () => {
  const errored = erroredCase("slow", kindlmError("ENGINE_MAX_TURNS", "The agent was still calling tools"));
  const run = inSuite([passedCase("fine"), errored]);
  expect([...errorTextsOf(run, { digest: {}, asTyped: (text) => text })]).toEqual([
    [errored, ["The agent was still calling tools", "Raise limits.max_turns if the task needs more turns"]],
  ]);
});

it("takes what only a CI system knows from the environment", () => {
  const optionsIn = (env: Record<string, string>) =>
    renderOptionsFor({ ...given, environment: fakeEnvironment({ env }) }, [], null)(null);
  const env = { KINDLM_COMMIT: "3f2a91c", KINDLM_BASELINE_BRANCH: "main" };
  expect(optionsIn(env)).toMatchObject({ commit: "3f2a91c", baselineBranch: "main" });
  const others = optionsIn({ KINDLM_COMMIT: "HEAD", KINDLM_BASELINE_BRANCH: "" });
  expect([others.commit, others.baselineBranch]).toEqual([undefined, undefined]);
});

it("shows a trial that failed in the commonest way in every report, and the journal is read for that once", async () => {
  const test = failedCase("a", { runs: 3, decisiveTrial: 1 });
  const run = inSuite([test]);
  const read: string[] = [];
  const trials: typeof run.trials = async function* (caseId) {
    read.push(caseId ?? "all");
    for await (const plain of run.trials(caseId)) {
      for (const [index, type] of ["contains", "latency", "latency"].entries()) {
        const assertions = [sampleAssertion({ type, pass: false, message: `of ${type}` })];
        yield { ...plain, trial: index + 1, assertions, messages: [{ role: "user" as const, content: type }] };
      }
    }
  };
  const options = renderOptionsFor(given, [], { ...run, trials })(null);
  expect(await options.shownTrial?.(test)).toBe(2);
  expect(await options.shownTrial?.(test)).toBe(2);
  expect(read).toEqual(["Suite A/a@gpt"]);
});

it("has the problems of a suite that could not run, and how to see them all", () => {
  const run = threeSuites();
  const skipped = run.suites.flatMap((suite) => (suite.status === "skipped" ? [suite] : []));
  const problem = { code: "CONFIG_VALIDATION_ERROR", severity: "error", message: "wrong" } as const;
  for (const suite of skipped) suite.diagnostics = [problem, problem];
  const texts = errorTextsOf(run, { digest: { showAll: "kindlm validate --all" }, asTyped: (text) => text });
  expect(skipped.map((suite) => texts.get(suite))).toEqual([
    ["Config error: wrong", "2 errors, 1 kind", "Show all with kindlm validate --all"],
  ]);
});
