import { kindlmError } from "@kindlm/core";
import { expect, it } from "vitest";
import { erroredCase, inSuite, passedCase, threeSuites } from "../../../core/src/__fixtures__/sample-run.js";
import { errorTextsOf } from "./render-options.js";

it("has what is wrong and what to do for each case that ended with an error, and nothing for others", () => {
  const errored = erroredCase("slow", kindlmError("ENGINE_MAX_TURNS", "The agent was still calling tools"));
  const run = inSuite([passedCase("fine"), errored]);
  expect([...errorTextsOf(run, { digest: {}, asTyped: (text) => text })]).toEqual([
    [errored, ["The agent was still calling tools", "Raise limits.max_turns if the task needs more turns"]],
  ]);
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
