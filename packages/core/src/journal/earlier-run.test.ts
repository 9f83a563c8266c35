import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import { loadEarlierRun, resumedOptions, storedOptions } from "./earlier-run.js";
import { runFolderOf } from "./run-folder.js";
import { sampleHeader } from "./__fixtures__/sample-records.js";

describe("storedOptions", () => {
  it("keeps paths relative to the root, and nothing that holds for one session alone", () => {
    const options: RunTestsOptions = {
      paths: ["evals/a.yaml", "/project", "/elsewhere/b.yaml"],
      runs: 3,
      root: "..",
      resume: "last",
      rerunFailed: "last",
      ci: true,
    };
    expect(storedOptions(options, "/project", "/project/sub")).toEqual({
      runs: 3,
      paths: ["sub/evals/a.yaml", ".", "../elsewhere/b.yaml"],
    });
  });

  it("comes back from wherever the run is resumed", () => {
    const stored = storedOptions({ paths: ["a.yaml"] }, "/project", "/project/sub");
    const resumed = resumedOptions({ paths: [], resume: "last" }, sampleHeader({ options: stored }), "/project");
    expect(resumed).toMatchObject({ success: true, data: { paths: ["/project/sub/a.yaml"] } });
  });
});

describe("resumedOptions", () => {
  const stored = { paths: ["a.yaml"], runs: 3, seed: 7, concurrency: 2, filters: { tests: ["one"], tags: ["slow"] } };
  const header = sampleHeader({ seed: 7, options: stored });

  it.each<{ name: string; given: Partial<RunTestsOptions>; expected: object }>([
    { name: "all of before, where nothing is given", given: {}, expected: { ...stored, paths: ["/project/a.yaml"] } },
    {
      name: "what is given before what was given",
      given: { runs: 5, bail: 1 },
      expected: { runs: 5, bail: 1, concurrency: 2 },
    },
    { name: "other paths", given: { paths: ["b.yaml"] }, expected: { paths: ["b.yaml"] } },
    {
      name: "filters that replace the old ones together",
      given: { filters: { suites: ["s"] } },
      expected: { filters: { suites: ["s"] } },
    },
    {
      name: "the old filters where the new ones are empty",
      given: { filters: { tests: [], models: [] } },
      expected: { filters: stored.filters },
    },
    { name: "the same seed", given: { seed: 7 }, expected: { seed: 7 } },
  ])("are $name", ({ given, expected }) => {
    const merged = resumedOptions({ paths: [], ...given }, header, "/project");
    expect(merged).toMatchObject({ success: true, data: expected });
    if (given.filters?.suites !== undefined && merged.success) expect(merged.data.filters).toEqual(given.filters);
  });

  it.each<[Partial<RunTestsOptions>, string]>([
    [{ seed: 8 }, "The run was started with the seed 7, and cannot continue with another"],
    [{ shard: { index: 1, of: 2 } }, "The run was started as a whole, and cannot continue as another part"],
  ])("cannot be %j", (given, message) => {
    expect(resumedOptions({ paths: [], ...given }, header, "/project")).toMatchObject({
      success: false,
      error: { code: "CONFIG_VALIDATION_ERROR", message },
    });
  });
});

describe("loadEarlierRun", () => {
  let root = "";
  const clock = createManualClock({ start: Date.now() });
  const folder = () => runFolderOf(root, "20260215-103000000-a1b2c3");
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), "kindlm-earlier-run-"));
    mkdirSync(folder().path, { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it("holds the run, and reports where its journal goes on", async () => {
    const line = `${JSON.stringify(sampleHeader())}\n`;
    writeFileSync(folder().journal, `${line}{"kind":"tri`);
    const loaded = await loadEarlierRun(root, {}, { cwd: root, clock });
    expect(loaded).toMatchObject({
      success: true,
      data: { wholeBytes: line.length, folder: folder(), header: sampleHeader() },
    });
    expect(readdirSync(folder().path).toSorted()).toEqual(["journal.jsonl", "lock"]);
    if (loaded.success) await loaded.data.lock?.release();
    expect(readdirSync(folder().path)).toEqual(["journal.jsonl"]);
  });

  it("lets go of a run that it cannot read", async () => {
    writeFileSync(folder().journal, "not a journal\n");
    expect(await loadEarlierRun(root, {}, { cwd: root, clock })).toMatchObject({
      success: false,
      error: { code: "STORE_CORRUPT", details: { path: path.join(".kindlm", "runs", folder().id, "journal.jsonl") } },
    });
    expect(readdirSync(folder().path)).toEqual(["journal.jsonl"]);
  });

  it("leaves alone what another machine is at work on", async () => {
    writeFileSync(folder().lock, JSON.stringify({ pid: 1, host: "another.machine.example", startedAt: "" }));
    expect(await loadEarlierRun(root, {}, { cwd: root, clock })).toMatchObject({ error: { code: "STORE_LOCKED" } });
    expect(readdirSync(folder().path)).toEqual(["lock"]);
  });

  it("says that there is no such run", async () => {
    expect(await loadEarlierRun(root, { resume: "nope" }, { cwd: root, clock })).toMatchObject({
      error: { code: "RUN_NOT_FOUND" },
    });
  });
});
