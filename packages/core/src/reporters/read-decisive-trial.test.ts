import { describe, expect, it } from "vitest";
import { passedCase, sampleRun, skippedCase } from "../__fixtures__/sample-run.js";
import type { RunResult, TestResult, TrialResult } from "../engine/run-result.js";
import { readDecisiveTrial } from "./read-decisive-trial.js";

/** Reads from a case of three trials and tells which of them were asked for. */
async function readFrom(test: TestResult): Promise<{ found: TrialResult | null; read: readonly string[] }> {
  const sample = sampleRun([{ status: "run", name: "Suite A", file: "f", tests: [test] }]);
  const read: string[] = [];
  const trials: RunResult["trials"] = async function* (caseId) {
    for await (const plain of sample.trials(caseId)) {
      for (const trial of [1, 2, 3]) {
        read.push(`${caseId} ${trial}`);
        yield { ...plain, trial, output: `answer ${trial}` };
      }
    }
  };
  return { found: await readDecisiveTrial({ trials }, test), read };
}

describe("readDecisiveTrial", () => {
  it("reads up to the trial that decided, and no further", async () => {
    const { found, read } = await readFrom(passedCase("a", { runs: 3, decisiveTrial: 2 }));
    expect(found?.output).toBe("answer 2");
    expect(read).toEqual(["Suite A/a@gpt 1", "Suite A/a@gpt 2"]);
  });

  it("finds none where the trial is lost, and asks for none where the case never ran", async () => {
    expect((await readFrom(passedCase("a", { decisiveTrial: 4 }))).found).toBeNull();
    expect(await readFrom(skippedCase("a"))).toEqual({ found: null, read: [] });
  });
});
