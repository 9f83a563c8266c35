import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { passedCase, sampleRun } from "../__fixtures__/sample-run.js";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import type { PlannedCase } from "../plan/run-plan.js";
import { createRedactor } from "../redaction/redactor.js";
import type { Result } from "../result.js";
import { loadEarlierRun } from "./earlier-run.js";
import { readRun } from "./read-run.js";
import { noJournal, openJournal, type Journal } from "./open-journal.js";
import { runFolderOf } from "./run-folder.js";
import { passedTrial, sampleHeader, sampleIdentity } from "./__fixtures__/sample-records.js";

let root = "";
const clock = createManualClock({ start: Date.now() });
const redactor = createRedactor([]);
const planned = { id: "Suite A/t@gpt" } as PlannedCase;
const header = sampleHeader();
const suites = [{ status: "run" as const, name: "Suite A", file: "kindlm.yaml", tests: [passedCase("t")] }];
const folder = () => runFolderOf(root, header.runId);
const ports = () => ({
  clock,
  redactor,
  identify: () => sampleIdentity,
  shown: (file: string) => path.relative(root, file),
});

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "kindlm-open-"));
});
afterEach(() => rmSync(root, { recursive: true }));

async function open(seed = 1): Promise<Journal> {
  return opened(openJournal({ root, seed }, header, null, ports()));
}

/** A run does not wait for that. */
async function opened(journal: Journal): Promise<Journal> {
  await journal.trials.flush();
  return journal;
}

async function reopen(seed = 1): Promise<Journal> {
  const loaded = await loadEarlierRun(root, {}, { cwd: root, clock });
  if (!loaded.success) throw new Error(loaded.error.message);
  return opened(openJournal({ root, seed }, loaded.data.header, loaded.data, ports()));
}

async function close(journal: Journal): Promise<Result<void>> {
  const { suites: _suites, trials: _trials, ...head } = sampleRun(suites);
  const written = await journal.writeResult({
    head: { ...head, rules: { gates: {}, exitOn: "tests" }, haltedBy: null },
    suites,
  });
  await journal.close();
  return written;
}

async function keep(journal: Journal, output: string): Promise<void> {
  const kept = journal.trials.append(passedTrial({ caseId: planned.id, output }), planned, "run");
  await journal.trials.flush();
  await kept;
}

async function outputsOf(trials: AsyncIterable<{ output: string }>): Promise<string[]> {
  const outputs: string[] = [];
  for await (const { output } of trials) outputs.push(output);
  return outputs;
}

describe("a journal", () => {
  it("holds the run while it goes on, and leaves a run that can be read back", async () => {
    const journal = await open();
    expect(readdirSync(folder().path).toSorted()).toEqual(["journal.jsonl", "lock"]);
    await keep(journal, "kept");
    expect(await close(journal)).toMatchObject({ success: true });
    expect(readdirSync(folder().path).toSorted()).toEqual(["journal.jsonl", "run.json"]);
    const loaded = await readRun(root, null, root);
    const { trials: _trials, ...expected } = sampleRun(suites);
    expect(loaded).toMatchObject({
      success: true,
      data: { result: expected, paths: [], judgedBy: { haltedBy: null } },
    });
    if (!loaded.success) return;
    expect(loaded.data.result).not.toHaveProperty("rules");
    expect(await outputsOf(loaded.data.result.trials())).toEqual(["kept"]);
    expect(await outputsOf(loaded.data.result.trials(planned.id))).toEqual(["kept"]);
    expect(await outputsOf(loaded.data.result.trials("other"))).toEqual([]);
  });

  it("lets the first run of a project keep runs out of the repository", async () => {
    await (await open()).close();
    const ignored = path.join(root, ".kindlm", "runs", ".gitignore");
    expect(readFileSync(ignored, "utf8")).toBe("*\n");
    rmSync(ignored);
    await openJournal({ root, seed: 1 }, sampleHeader({ runId: "other" }), null, ports()).close();
    expect(existsSync(ignored)).toBe(false);
  });

  it("goes on behind the last whole line, and lets nothing old remain", async () => {
    const first = await open();
    await keep(first, "first");
    await close(first);
    const whole = readFileSync(folder().journal, "utf8");
    writeFileSync(folder().journal, `${whole}{"kind":"tr`);
    const second = await reopen();
    expect(existsSync(folder().result)).toBe(false);
    expect(second.earlier?.take(planned, 1)).toMatchObject({ isScored: true, trial: { output: "first" } });
    expect(await outputsOf(second.trials.read(planned.id))).toEqual(["first"]);
    await close(second);
    expect(readFileSync(folder().journal, "utf8")).toBe(`${whole}{"kind":"session","at":${clock.now()}}\n`);
  });

  it("takes nothing over when the seed has changed", async () => {
    const first = await open();
    await keep(first, "first");
    await close(first);
    const second = await reopen(2);
    expect(second.earlier?.take(planned, 1)).toBeNull();
    await second.close();
  });

  it("keeps trials in memory where there is no room for a folder", async () => {
    writeFileSync(path.join(root, ".kindlm"), "a file");
    const journal = await open();
    await keep(journal, "in memory");
    expect(await outputsOf(journal.trials.read(planned.id))).toEqual(["in memory"]);
    expect(await close(journal)).toMatchObject({ error: { code: "STORE_WRITE_ERROR" } });
  });

  it("takes trials before the folder is there", async () => {
    const journal = openJournal({ root, seed: 1 }, header, null, ports());
    await keep(journal, "early");
    expect(await close(journal)).toMatchObject({ success: true });
    expect(await outputsOf(journal.trials.read(planned.id))).toEqual(["early"]);
  });

  it("does without a folder when none is wanted", async () => {
    const journal = noJournal();
    await keep(journal, "in memory");
    expect(await close(journal)).toMatchObject({ success: true });
    expect(readdirSync(root)).toEqual([]);
  });
});
