import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { kindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase } from "../plan/run-plan.js";
import { createRedactor } from "../redaction/redactor.js";
import { EarlierRecords } from "./earlier-records.js";
import { encodeRecord } from "./encode-record.js";
import type { JournalRecord, TrialIdentity } from "./journal-record.js";
import { createLineReader } from "./line-reader.js";
import { readJournal } from "./read-journal.js";
import {
  erroredTrial,
  passedTrial,
  sampleHeader,
  sampleIdentity,
  sampleTurn,
  trialRecord,
} from "./__fixtures__/sample-records.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "kindlm-earlier-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const redactor = createRedactor(["the-secret"]);
const planned = { id: "s/t@m" } as PlannedCase;
const header = sampleHeader({ startedAt: new Date(0).toISOString() });

async function recordsOf(...records: JournalRecord[]): Promise<EarlierRecords> {
  const file = path.join(folder, "journal.jsonl");
  writeFileSync(file, [header, ...records].map((record) => `${encodeRecord(record, redactor)}\n`).join(""));
  const earlier = new EarlierRecords();
  const read = await readJournal(file, "j", (record, place) => earlier.add(record, place));
  if (!read.success) throw new Error(read.error.message);
  return earlier;
}

function trialsOf(earlier: EarlierRecords, identity: TrialIdentity = sampleIdentity, isReusable = true) {
  const taken: number[] = [];
  const trials = earlier.toTrials({
    isReusable,
    reader: createLineReader(path.join(folder, "journal.jsonl")),
    identify: () => identity,
    redact: redactor.redact,
    onTaken: (_planned, trial) => taken.push(trial),
  });
  return { trials, taken };
}

const paid = (costUsd: number) => ({ turns: [{ ...sampleTurn([]), costUsd }] });
const outside = kindlmError("PROVIDER_TIMEOUT", "Too slow");
const ofAgent = kindlmError("ENGINE_MAX_TURNS", "Too many turns");

describe("the trials of before", () => {
  it.each([
    { what: "passed", trial: passedTrial(), changed: {}, as: "scored" },
    { what: "errored from outside", trial: erroredTrial({}, outside), changed: {}, as: null },
    { what: "errored by the agent", trial: erroredTrial({}, ofAgent), changed: {}, as: "scored" },
    {
      what: "errored by the agent, other assertions",
      trial: erroredTrial({}, ofAgent),
      changed: { scoringHash: "x" },
      as: "scored",
    },
    { what: "of another agent", trial: passedTrial(), changed: { agentHash: "x" }, as: null },
    { what: "of another setup", trial: passedTrial(), changed: { setupHash: "x" }, as: null },
    { what: "of other assertions", trial: passedTrial(), changed: { scoringHash: "x" }, as: "unscored" },
    { what: "masked", trial: passedTrial({ output: "the-secret" }), changed: {}, as: "scored" },
    {
      what: "masked, other assertions",
      trial: passedTrial({ output: "the-secret" }),
      changed: { scoringHash: "x" },
      as: null,
    },
  ])("are taken as $as: one that was $what", async ({ trial, changed, as }) => {
    const earlier = await recordsOf(trialRecord({ ...trial, ...paid(0.5) }));
    const { trials, taken } = trialsOf(earlier, { ...sampleIdentity, ...changed });
    const found = trials.take(planned, 1);
    expect(found === null ? null : found.isScored ? "scored" : "unscored").toBe(as);
    expect(found?.trial.status ?? trial.status).toBe(trial.status);
    expect(taken).toEqual(as === "scored" ? [1] : []);
    expect([...trials.left()]).toHaveLength(as === null ? 1 : 0);
    expect(trials.spentUsd).toBe(0.5);
  });

  it("are not taken twice, nor others than those that were asked for, nor any with another seed", async () => {
    const earlier = await recordsOf(trialRecord(passedTrial()));
    const { trials } = trialsOf(earlier);
    expect(trials.take(planned, 2)).toBeNull();
    expect(trials.take(planned, 1)?.isScored).toBe(true);
    expect(trials.take(planned, 1)).toBeNull();
    expect(trialsOf(earlier, sampleIdentity, false).trials.take(planned, 1)).toBeNull();
  });

  it("are known although their case has a secret in its id", async () => {
    const id = "s/the-secret@m";
    const earlier = await recordsOf(trialRecord(passedTrial({ caseId: id })));
    expect(trialsOf(earlier).trials.take({ id } as PlannedCase, 1)?.trial.caseId).toBe(id);
  });

  it("count by their last record; what was run again was paid for twice, what was scored again once", async () => {
    const first = trialRecord(passedTrial({ output: "first", ...paid(1) }));
    const again = trialRecord(passedTrial({ output: "again", ...paid(2) }));
    const scored = trialRecord(passedTrial({ output: "scored", ...paid(2.25) }), { isRescored: true });
    const { trials } = trialsOf(await recordsOf(first, again, scored));
    expect(trials.spentUsd).toBe(3.25);
    expect(trials.take(planned, 1)?.trial.output).toBe("scored");
    expect([...trials.left()].map(({ output }) => output)).toEqual(["first"]);
  });
});

describe("the sessions of before", () => {
  it("took the time from the start of each to its last record", async () => {
    const earlier = await recordsOf(
      trialRecord(passedTrial(), { at: 400 }),
      { kind: "session", at: 10_000 },
      trialRecord(passedTrial({ trial: 2 }), { at: 10_030 }),
      { kind: "session", at: 50_000 },
    );
    expect({ sessions: earlier.sessions, durationMs: earlier.durationMs }).toEqual({ sessions: 3, durationMs: 430 });
  });
});

describe("calls that were begun", () => {
  const call = { caseId: "s/t@m", trial: 1, occurrence: 1, tool: "pay", args: {} };
  const intent: JournalRecord = { kind: "intent", at: 1, identity: sampleIdentity, ...call };

  it.each([
    ["nothing followed", []],
    ["the trial passed", [trialRecord(passedTrial())]],
    ["the trial was errored by the world", [trialRecord(erroredTrial({}, outside))]],
    ["the user interrupted the trial", [trialRecord(erroredTrial({}, kindlmError("ENGINE_ABORTED", "Stopped")))]],
  ] as const)("are known where %s", async (_name, records) => {
    const earlier = await recordsOf(intent, ...records);
    expect(earlier.effects.of("s/t@m", 1, sampleIdentity).size).toBe(1);
  });

  it("are not begun again in a trial that they kept from a verdict", async () => {
    const cut = kindlmError("ENGINE_ABORTED", "Interrupted", { details: { resumedCalls: 1 } });
    const earlier = await recordsOf(intent, trialRecord(erroredTrial({}, cut)));
    expect(trialsOf(earlier).trials.take(planned, 1)).toMatchObject({ trial: { error: cut }, isScored: true });
  });
});
