import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { keepNewestRuns } from "../journal/remove-old-runs.js";
import { runFolderOf } from "../journal/run-folder.js";
import { createRunId } from "../journal/run-id.js";
import { sampleHeader } from "../journal/__fixtures__/sample-records.js";
import { findRun, listRuns, pruneRuns } from "./runs.js";

const now = Date.now();
const dayMs = 86_400_000;
const clock = createManualClock({ start: now });
let root = "";
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "kindlm-prune-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const project = () => ({ paths: [], root });
const world = () => ({ cwd: root, clock });

/** Runs that began so many days ago; the ids in the same order. */
function addRuns(ages: readonly number[]): string[] {
  return ages.map((age) => {
    const folder = runFolderOf(root, createRunId(now - age * dayMs));
    mkdirSync(folder.path, { recursive: true });
    writeFileSync(folder.journal, `${JSON.stringify(sampleHeader({ runId: folder.id }))}\n`);
    return folder.id;
  });
}

const left = (): string[] => {
  const runs = path.join(root, ".kindlm", "runs");
  return existsSync(runs) ? readdirSync(runs).toSorted().toReversed() : [];
};

const holdFromElsewhere = (id: string): void => {
  const { lock } = runFolderOf(root, id);
  writeFileSync(lock, JSON.stringify({ pid: 1, host: "another.machine.example", startedAt: "" }));
};

describe("pruneRuns", () => {
  it("leaves the newest, the young, and those at work, and nothing else", async () => {
    const age = fc.integer({ min: 0, max: 30 });
    const limits = fc.record({
      keep: fc.option(fc.integer({ min: 0, max: 8 }), { nil: undefined }),
      olderThan: fc.option(age, { nil: undefined }),
      held: fc.integer({ min: 0, max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(age, { maxLength: 7 }), limits, async (ages, { keep, olderThan, held }) => {
        rmSync(path.join(root, ".kindlm"), { recursive: true, force: true });
        const sorted = ages.toSorted((a, b) => a - b);
        const ids = addRuns(sorted);
        const heldId = ids[held];
        if (heldId !== undefined) holdFromElsewhere(heldId);
        const stays = ids.filter(
          (id, at) => at < (keep ?? 0) || (olderThan !== undefined && (sorted[at] ?? 0) < olderThan) || id === heldId,
        );
        const limit = {
          ...(keep === undefined ? {} : { keep }),
          ...(olderThan === undefined ? {} : { olderThanMs: olderThan * dayMs }),
        };
        const gone = ids.filter((id) => !stays.includes(id)).toReversed();
        const rehearsed = await pruneRuns({ ...project(), ...limit, dryRun: true }, world());
        expect(rehearsed.removed.map(({ id }) => id)).toEqual(gone);
        expect(left()).toEqual(ids);
        const pruned = await pruneRuns({ ...project(), ...limit }, world());
        expect(pruned.removed.map(({ id }) => id)).toEqual(gone);
        expect(pruned.freedBytes).toBe(rehearsed.freedBytes);
        expect(left()).toEqual(stays);
      }),
      { numRuns: 40 },
    );
  });

  it("removes what is damaged by the age that its name tells, and never what has another name", async () => {
    const [young = "", old = ""] = addRuns([1, 20]);
    for (const id of [young, old]) writeFileSync(runFolderOf(root, id).journal, "damaged\n");
    mkdirSync(runFolderOf(root, "a-name-of-mine").path);
    const { removed } = await pruneRuns({ ...project(), olderThanMs: 10 * dayMs }, world());
    expect(removed).toMatchObject([{ id: old, state: "damaged" }]);
    expect(left()).toEqual(["a-name-of-mine", young]);
  });
});

describe("keepNewestRuns", () => {
  it("removes the oldest ones beyond the limit, but for the own one and those at work", async () => {
    const ids = addRuns([1, 2, 3, 4, 5]);
    holdFromElsewhere(ids[3] ?? "");
    await keepNewestRuns(root, 2, runFolderOf(root, ids[4] ?? ""), clock);
    expect(left()).toEqual([ids[0], ids[1], ids[3], ids[4]]);
  });

  it("does nothing where there are not too many, or none at all", async () => {
    await keepNewestRuns(root, 2, runFolderOf(root, "x"), clock);
    const ids = addRuns([1, 2]);
    await keepNewestRuns(root, 2, runFolderOf(root, ids[0] ?? ""), clock);
    await keepNewestRuns(root, null, runFolderOf(root, ids[0] ?? ""), clock);
    await keepNewestRuns(root, 1, null, clock);
    expect(left()).toEqual(ids);
  });
});

describe("listRuns", () => {
  it("reports each run by the first lines of its files alone", async () => {
    const [id = ""] = addRuns([1]);
    const folder = runFolderOf(root, id);
    const header = sampleHeader({ runId: id, options: { paths: [], shard: { index: 2, of: 4 } } });
    writeFileSync(folder.journal, `${JSON.stringify(header)}\n\0 whatever`);
    const [listed] = await listRuns(project(), world());
    expect(listed).toMatchObject({
      id,
      path: folder.path,
      state: "unfinished",
      startedAt: header.startedAt,
      project: "acme",
      shard: { index: 2, of: 4 },
      verdict: null,
      counts: null,
      seed: 1,
    });
    expect(await findRun({ ...project(), run: "last" }, world())).toEqual({ success: true, data: listed });
  });

  it.each([
    ["running", (id: string) => holdFromElsewhere(id)],
    ["damaged", (id: string) => writeFileSync(runFolderOf(root, id).result, "{}\n")],
    ["damaged", (id: string) => writeFileSync(runFolderOf(root, id).journal, "not a journal\n")],
    ["unfinished", (id: string) => rmSync(runFolderOf(root, id).journal)],
    ["unfinished", (id: string) => writeFileSync(runFolderOf(root, id).journal, '{"kind":"ru')],
    ["unfinished", () => undefined],
  ])("says that a run is %s (%#)", async (state, change) => {
    const [id = ""] = addRuns([1]);
    change(id);
    const [listed] = await listRuns(project(), world());
    expect(listed?.state).toBe(state);
  });
});
