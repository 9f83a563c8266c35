import { expect, it } from "vitest";
import type { RunInfo, SuiteResult, TestResult } from "../engine/run-result.js";
import { erroredTest, failedTest, ranTest } from "./__fixtures__/ran-test.js";
import { decideBaselineUpdate, type BaselineUpdateQuestion } from "./decide-baseline-update.js";

const suite = (name: string, ...tests: TestResult[]): SuiteResult => ({
  status: "run",
  name,
  file: "kindlm.yaml",
  tests,
});
const good = suite("good", ranTest("a"), failedTest("b"));
const bad = suite("bad", ranTest("c"), erroredTest("d", "PROVIDER_TIMEOUT"), erroredTest("e", "ENGINE_MAX_TURNS"));
const silent = suite("silent", { ...ranTest("f", { fallback: "other" }) });

function decide(
  suites: readonly SuiteResult[],
  run: Partial<RunInfo> = {},
  more: Partial<BaselineUpdateQuestion> = {},
) {
  const result = {
    run: { id: "r1", interrupted: false, ...run },
    suites,
  } as unknown as BaselineUpdateQuestion["result"];
  const decided = decideBaselineUpdate({ result, wanted: [], allowErrored: false, ...more });
  if (decided.refusal === null) return decided.suites.map(({ name }) => name).join(" ");
  const { code, message, details } = decided.refusal;
  expect(code).toBe("BASELINE_REFUSED");
  return [message, details === undefined || !("hint" in details) ? "" : details.hint];
}

it("blesses the suites that say something, failures too", () => {
  expect(decide([good, silent])).toBe("good");
  expect(decide([good, bad], {}, { wanted: ["good"] })).toBe("good");
  expect(decide([good, bad], {}, { allowErrored: true })).toBe("good bad");
});

it.each<[string, ReturnType<typeof decide>, readonly string[]]>([
  [
    "errors",
    decide([good, bad]),
    [
      "2 cases of run r1 errored: orders/d@m and others",
      "Run them again: kindlm test --resume --run r1. Or save the others: kindlm baseline set --allow-errored",
    ],
  ],
  [
    "a run that was stopped",
    decide([good], { interrupted: true }, { allowErrored: true }),
    ["Run r1 was interrupted", "Resume it: kindlm test --resume --run r1"],
  ],
  [
    "a shard",
    decide([good], { shard: { index: 2, of: 4 } as RunInfo["shard"] & object }),
    ["Run r1 is shard 2 of 4, not a whole run", "Save the merged run: kindlm merge, then kindlm baseline set"],
  ],
  [
    "a suite that is not there",
    decide([good], {}, { wanted: ["goood"] }),
    ['Run r1 has no suite "goood"', 'Did you mean "good"?'],
  ],
  [
    "what another model answered",
    decide([silent]),
    [
      "No case of run r1 can be saved as a baseline: orders/f@m (answered by other in its place)",
      "Run the tests again: kindlm test",
    ],
  ],
  [
    "what ended early",
    decide([suite("early", ranTest("g", { endedEarly: true }))]),
    ["No case of run r1 can be saved as a baseline: orders/g@m (ended early)", "Run the tests without early_end"],
  ],
  ["nothing", decide([]), ["No case of run r1 can be saved as a baseline", "Run the tests again: kindlm test"]],
])("refuses %s", (_name, refusal, expected) => {
  expect(refusal).toEqual(expected);
});
