import { describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { createRunAbort } from "./run-abort.js";
import { createDeadlines } from "./trial-deadline.js";

describe("createDeadlines", () => {
  it("aborts at the deadline and says which", () => {
    const clock = createManualClock();
    const deadline = createDeadlines(clock, createRunAbort())(5_000);
    clock.advance(4_999);
    expect(deadline.signal.aborted).toBe(false);
    clock.advance(1);
    expect(deadline.signal.aborted).toBe(true);
    expect(deadline.reason).toMatchObject({ code: "ENGINE_TIMEOUT", message: "The trial took longer than 5 s" });
  });

  it("aborts with the run, also when the run was stopped before", () => {
    const [clock, stop] = [createManualClock(), createRunAbort()];
    const open = createDeadlines(clock, stop);
    const early = open(5_000);
    stop.stop(kindlmError("ENGINE_ABORTED", "stop"));
    stop.stop(kindlmError("ENGINE_TIMEOUT", "too late"));
    const late = open(5_000);
    expect([early.reason?.code, late.reason?.code]).toEqual(["ENGINE_ABORTED", "ENGINE_ABORTED"]);
    expect(late.signal.aborted).toBe(true);
  });

  it("hands a signal on to the next trial, but never one that was aborted", () => {
    const clock = createManualClock();
    const open = createDeadlines(clock, createRunAbort());
    const first = open(5_000);
    first.release();
    const second = open(1_000);
    expect(second.signal).toBe(first.signal);
    clock.advance(1_000);
    expect([first.reason, second.reason?.code]).toEqual([null, "ENGINE_TIMEOUT"]);
    second.release();
    expect(open(1_000).signal.aborted).toBe(false);
  });

  it("does nothing once it is released", () => {
    const [clock, stop] = [createManualClock(), createRunAbort()];
    const deadline = createDeadlines(clock, stop)(5_000);
    deadline.release();
    clock.advance(10_000);
    stop.stop(kindlmError("ENGINE_ABORTED", "stop"));
    expect(deadline.signal.aborted).toBe(false);
  });
});
