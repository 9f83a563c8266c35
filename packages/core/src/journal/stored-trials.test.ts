import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { passedCase, skippedCase } from "../__fixtures__/sample-run.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { createRedactor } from "../redaction/redactor.js";
import { encodeRecord } from "./encode-record.js";
import type { JournalRecord, TrialIdentity } from "./journal-record.js";
import { createStoredTrials } from "./stored-trials.js";
import { erroredTrial, passedTrial, sampleHeader, sampleIdentity, trialRecord } from "./__fixtures__/sample-records.js";

let file = "";
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "kindlm-stored-"));
  file = path.join(folder, "journal.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

const test = passedCase("t", { id: "s/t@m", runs: 3 });

/** The outputs of the trials that count. */
async function read(records: readonly JournalRecord[], of = test): Promise<string[]> {
  const lines = [sampleHeader(), ...records].map((record) => encodeRecord(record, createRedactor([])));
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
  const outputs: string[] = [];
  for await (const { output } of createStoredTrials(file, "j").read(of)) outputs.push(output);
  return outputs;
}

const ran = (trial: number, output: string, changes: Partial<TrialIdentity> = {}): JournalRecord =>
  trialRecord(passedTrial({ trial, output }), { identity: { ...sampleIdentity, ...changes } });
const broke = (trial: number, output: string, code: "PROVIDER_TIMEOUT" | "ENGINE_MAX_TURNS"): JournalRecord => {
  const error: KindlmError =
    code === "PROVIDER_TIMEOUT" ? kindlmError(code, "It broke") : kindlmError(code, "It broke");
  return trialRecord(erroredTrial({ trial, output }, error));
};
const session: JournalRecord = { kind: "session", at: 9 };

describe("createStoredTrials", () => {
  it.each<{ name: string; records: readonly JournalRecord[]; counts: readonly string[] }>([
    {
      name: "all of a run that was never resumed",
      records: [ran(2, "b"), ran(1, "a"), broke(3, "c", "PROVIDER_TIMEOUT")],
      counts: ["a", "b", "c"],
    },
    { name: "the last record of each", records: [ran(1, "a"), session, ran(1, "b")], counts: ["b"] },
    {
      name: "those that were taken over, beside those that were run",
      records: [ran(1, "a"), broke(2, "b", "PROVIDER_TIMEOUT"), session, ran(2, "c")],
      counts: ["a", "c"],
    },
    {
      name: "none that was to be run again and never was",
      records: [ran(1, "a"), broke(2, "b", "PROVIDER_TIMEOUT"), session],
      counts: ["a"],
    },
    {
      name: "those that are errored by the agent",
      records: [ran(1, "a"), broke(2, "b", "ENGINE_MAX_TURNS"), session],
      counts: ["a", "b"],
    },
    {
      name: "none of another agent",
      records: [ran(1, "a"), ran(2, "b"), session, ran(1, "c", { agentHash: "x" })],
      counts: ["c"],
    },
    {
      name: "none of another setup",
      records: [ran(1, "a"), ran(2, "b"), session, ran(1, "c", { setupHash: "x" })],
      counts: ["c"],
    },
    {
      name: "those whose assertions alone are others",
      records: [ran(1, "a"), ran(2, "b"), session, ran(1, "c", { scoringHash: "x" })],
      counts: ["c", "b"],
    },
    {
      name: "none beyond the number that was asked for",
      records: [ran(1, "a"), ran(4, "d"), session, ran(2, "b")],
      counts: ["a", "b"],
    },
    { name: "none of other cases", records: [trialRecord(passedTrial({ caseId: "other" }))], counts: [] },
  ])("gives $name", async ({ records, counts }) => {
    expect(await read(records)).toEqual(counts);
  });

  it("gives none of a skipped case, although it ran before", async () => {
    expect(await read([ran(1, "a"), session], skippedCase("t", { id: "s/t@m" }))).toEqual([]);
  });

  it("says where the journal is damaged, and rejects there", async () => {
    writeFileSync(file, "not a journal\n");
    const trials = createStoredTrials(file, "shown/journal.jsonl");
    expect(await trials.find()).toMatchObject({ success: false, error: { code: "STORE_CORRUPT" } });
    await expect(trials.read(test)[Symbol.asyncIterator]().next()).rejects.toThrow(
      "shown/journal.jsonl is damaged at line 1",
    );
  });

  it("reads the journal once, however often it is asked", async () => {
    await read([ran(1, "a")]);
    const trials = createStoredTrials(file, "j");
    expect(await trials.find()).toEqual({ success: true, data: undefined });
    writeFileSync(file, "", { flag: "a" });
    for (let time = 0; time < 2; time += 1) {
      for await (const record of trials.records(test))
        expect(record).toMatchObject({ kind: "trial", trial: { output: "a" } });
    }
    rmSync(file);
    expect((await trials.find()).success).toBe(true);
  });
});
