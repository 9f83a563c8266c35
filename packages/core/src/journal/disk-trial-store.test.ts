import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import type { TrialStore } from "../engine/ports.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase } from "../plan/run-plan.js";
import { createRedactor } from "../redaction/redactor.js";
import { createDiskTrialStore } from "./disk-trial-store.js";
import { openGroupAppender, type GroupAppender } from "./group-appender.js";
import { createLineReader } from "./line-reader.js";
import { createTrialPlaces } from "./trial-places.js";
import { erroredTrial, passedTrial, sampleIdentity } from "./__fixtures__/sample-records.js";

let folder = "";
let file = "";
let appender: GroupAppender;
let store: TrialStore;
const clock = createManualClock({ start: 500 });
const planned = { id: "s/the-secret@m" } as PlannedCase;
const trialOf = (trial: number, output: string) => passedTrial({ caseId: planned.id, trial, output });

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "kindlm-store-"));
  file = path.join(folder, "journal.jsonl");
  const redactor = createRedactor(["the-secret"]);
  const opened = await openGroupAppender(file, "journal.jsonl", 0, { clock, redactor });
  if (!opened.success) throw new Error(opened.error.message);
  appender = opened.data;
  const reader = createLineReader(file);
  const places = createTrialPlaces();
  store = createDiskTrialStore({ appender, reader, places, clock, identify: () => sampleIdentity });
});
afterEach(async () => {
  await appender.close();
  rmSync(folder, { recursive: true });
});

async function outputs(): Promise<string[]> {
  const found: string[] = [];
  for await (const { output, caseId } of store.read(planned.id)) {
    expect(caseId).toBe(planned.id);
    found.push(output);
  }
  return found;
}

describe("createDiskTrialStore", () => {
  it("keeps for the reports what cannot be written, and says so", async () => {
    const trial = trialOf(1, "too large");
    Object.defineProperty(trial, "messages", {
      get: () => {
        throw new RangeError("Invalid string length");
      },
    });
    expect(await store.append(trial, planned, "run")).toMatchObject({
      error: { code: "STORE_WRITE_ERROR", message: expect.stringContaining("trial 1 of s/the-secret@m") as string },
    });
    expect(await outputs()).toEqual(["too large"]);
  });

  it("gives trials back in their order, the last of each, without their secrets", async () => {
    const kept = [trialOf(2, "b"), trialOf(1, "the-secret"), trialOf(2, "c")].map((trial) =>
      store.append(trial, planned, "run"),
    );
    expect(await outputs()).toEqual(["[redacted]", "c"]);
    expect(await Promise.all(kept.map((one) => Promise.resolve(one)))).toEqual(
      Array.from({ length: 3 }, () => ({ success: true, data: undefined })),
    );
    expect(readFileSync(file, "utf8")).not.toContain("the-secret");
  });

  it("says of each record when it was written, what it is compared by, and whether it was scored again", async () => {
    void store.append(trialOf(1, "a"), planned, "run");
    void store.append(trialOf(1, "a"), planned, "rescore");
    await store.flush();
    const records = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(records).toMatchObject([
      { kind: "trial", at: 500, identity: sampleIdentity },
      { kind: "trial", at: 500, identity: sampleIdentity, isRescored: true },
    ]);
    expect(records[0]).not.toHaveProperty("isRescored");
  });

  it("gives errors back as errors", async () => {
    const error = kindlmError("PROVIDER_NETWORK_ERROR", "No connection", { cause: new Error("refused") });
    void store.append(erroredTrial({ caseId: planned.id }, error), planned, "run");
    for await (const trial of store.read(planned.id)) expect(trial.error?.cause).toBeInstanceOf(Error);
  });

  it("keeps in memory what the disk does not take, beside what it took", async () => {
    const first = store.append(trialOf(1, "on the disk"), planned, "run");
    const old = store.append(trialOf(3, "replaced"), planned, "run");
    await store.flush();
    await first;
    await old;
    await appender.close();
    const lost = store.append(trialOf(3, "in memory"), planned, "run");
    await store.flush();
    expect(await lost).toMatchObject({
      success: false,
      error: { code: "STORE_WRITE_ERROR" },
    });
    await store.append(trialOf(2, "in memory too"), planned, "run");
    expect(await outputs()).toEqual(["on the disk", "in memory too", "in memory"]);
  });

  it("rejects where somebody damaged the journal", async () => {
    void store.append(trialOf(1, "a"), planned, "run");
    await store.flush();
    writeFileSync(file, "x".repeat(10_000));
    await expect(outputs()).rejects.toThrow("The journal is damaged at case s/the-secret@m");
  });
});
