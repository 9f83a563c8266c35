import { expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import type { AssertionContext } from "../assertions/define-assertion.js";
import type { ParsedAssertion } from "../assertions/parsed-assertion.js";
import type { PlannedCase } from "../plan/run-plan.js";
import { success, type Result } from "../result.js";
import { createEventStream } from "./create-event-stream.js";
import { TrialWriter } from "./trial-writer.js";
import { unstartedTrial } from "./empty-trial.js";
import { evaluateTrial } from "./evaluate-trial.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { RunEvent } from "./run-event.js";

/** A check that takes a second of the clock. */
function slowCheck(id: string, clock: ReturnType<typeof createManualClock>): ParsedAssertion {
  const definition = {
    type: "contains",
    evaluate: () => {
      clock.advance(1_000);
      return success({ pass: true, score: 1, message: "yes" });
    },
  };
  const common = { type: "contains", id, not: false, weight: 1, when: null, references: [], options: {} };
  return { form: "check", ...common, definition } as unknown as ParsedAssertion;
}

it("gives each assertion the time at which it was evaluated, although all of them are told at the end", async () => {
  const clock = createManualClock({ start: 5_000 });
  const times: number[] = [];
  const context = { clock, signal: new AbortController().signal } as unknown as AssertionContext;
  const assertions = [slowCheck("a", clock), slowCheck("b", clock)];
  const onResult = (_result: unknown, at: number): void => void times.push(at);
  await evaluateTrial(assertions, {}, { threshold: null, context, onResult });
  expect(times).toEqual([6_000, 7_000]);
});

it("gives a trial the time at which it ended, not that of the disk", async () => {
  const clock = createManualClock({ start: 100 });
  const heard: RunEvent[] = [];
  const emit = createEventStream([(event) => heard.push(event)], clock);
  let written: (kept: Result<void>) => void = () => {};
  const append = (): Promise<Result<void>> => new Promise((resolve) => (written = resolve));
  const trials = { append, flush: () => Promise.resolve(), async *read() {} };
  const writer = new TrialWriter({ trials, emit, clock });
  await writer.write(unstartedTrial("c", 1, kindlmError("ENGINE_ABORTED", "x")), {} as PlannedCase, "run");
  clock.advance(900);
  written(success(undefined));
  await writer.settled();
  expect(heard).toMatchObject([{ type: "trial:end", seq: 1, time: 100 }]);
});
