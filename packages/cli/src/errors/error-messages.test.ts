import type { KindlmErrorOf } from "@kindlm/core";
import { describe, expect, it } from "vitest";
import { errorMessages } from "./error-messages.js";

describe("what to type when a run cannot be had", () => {
  it.each<[KindlmErrorOf<"RUN_NOT_FOUND">["details"], string]>([
    [{ run: "a1", isUnfinished: true }, "Resume it: kindlm test --resume --run a1"],
    [{ run: "last", reason: "none" }, "Run: kindlm test"],
    [{ run: "2026", reason: "several" }, "Use a longer prefix of the ID; kindlm runs lists all runs"],
    [{ run: "a1", reason: "nothing_to_rerun" }, "Run all tests: kindlm test"],
    [{ run: "a1" }, "Run: kindlm runs list"],
    [undefined, "Run: kindlm runs list"],
  ])("%o", (details, fix) => {
    const error: KindlmErrorOf<"RUN_NOT_FOUND"> = { code: "RUN_NOT_FOUND", message: "m" };
    if (details !== undefined) error.details = details;
    expect(errorMessages.RUN_NOT_FOUND(error)).toEqual({ title: "m", fix });
  });

  it.each<[NonNullable<KindlmErrorOf<"STORE_CORRUPT">["details"]>, string]>([
    [{ path: ".kindlm/runs/a1/run.json" }, "Remove the file, then write it again: kindlm test --resume --run a1"],
    [
      { path: String.raw`.kindlm\runs\a1\run.json` },
      "Remove the file, then write it again: kindlm test --resume --run a1",
    ],
    [{ path: ".kindlm/runs/a1/journal.jsonl" }, "Start a new run: kindlm test"],
    [
      { path: ".kindlm/runs/a1/journal.jsonl", writtenBy: "7.0.0" },
      "Use KindLM 7.0.0 to read it, or start a new run: kindlm test",
    ],
  ])("%o", (details, fix) => {
    const words = errorMessages.STORE_CORRUPT({ code: "STORE_CORRUPT", message: "m", details });
    expect(words).toEqual({ title: "m", fix });
  });

  it("names the file to remove when nobody holds the run any longer", () => {
    const error = { code: "STORE_LOCKED" as const, message: "m", details: { path: ".kindlm/runs/a1/lock" } };
    const fix = "Wait until it ends. If no such process exists, remove .kindlm/runs/a1/lock";
    expect(errorMessages.STORE_LOCKED(error)).toEqual({ title: "m", fix });
  });

  it.each([
    [{ signal: "SIGINT" }, "Resume the run: kindlm test --resume"],
    [{ hint: "Start the command again" }, "Start the command again"],
    [{ resumedCalls: 2 }, "Rerun the case with all its calls: kindlm test --rerun-failed"],
  ])("distinguishes a run that was interrupted from a trial that met calls of before (%o)", (details, fix) => {
    expect(errorMessages.ENGINE_ABORTED({ code: "ENGINE_ABORTED", message: "m", details })).toEqual({
      title: "m",
      fix,
    });
  });
});
