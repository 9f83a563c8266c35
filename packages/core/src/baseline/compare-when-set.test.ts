import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { SuiteResult, TestResult } from "../engine/run-result.js";
import { createRedactor } from "../redaction/redactor.js";
import { compareWhenSet } from "./compare-when-set.js";

const root = mkdtempSync(join(tmpdir(), "kindlm-compare-"));
const kindlm = join(root, ".kindlm");
afterEach(() => rmSync(kindlm, { recursive: true, force: true }));

const suite: SuiteResult = {
  status: "run",
  name: "s",
  file: "kindlm.yaml",
  tests: [{ id: "s/t@m", status: "passed" } as TestResult],
};

const compare = () =>
  compareWhenSet({
    root,
    suites: [suite],
    agents: {},
    rules: { alpha: 0.05, margin: 0.05, sees: null },
    async *read() {},
    redact: createRedactor([]).redact,
  });

describe("compareWhenSet", () => {
  it("has nothing to say where no baseline was ever set", async () => {
    expect(await compare()).toBeNull();
    writeFileSync(kindlm, "");
    expect(await compare()).toBeNull();
    rmSync(kindlm);
    mkdirSync(join(kindlm, "baselines"), { recursive: true });
    expect(await compare()).toBeNull();
  });

  it("says so where baselines cannot be looked at", async () => {
    mkdirSync(kindlm);
    symlinkSync("baselines", join(kindlm, "baselines"));
    expect(await compare()).toMatchObject({ suites: [{ status: "unreadable", error: { code: "BASELINE_CORRUPT" } }] });
  });
});
