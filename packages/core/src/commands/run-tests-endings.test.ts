import { existsSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, describe, it } from "vitest";
import { makeProject } from "../__fixtures__/make-project.js";
import { scriptedConfig } from "../__fixtures__/scripted-config.js";
import { createRedactor, type Redactor } from "../redaction/redactor.js";
import { createSystemClock, type Clock } from "../values/clock.js";
import { runTests } from "./run-tests.js";

const config = (more = ""): string =>
  scriptedConfig({
    suites: "  - { name: s, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }",
    more,
  });

/** The files that runs left, by name. */
function filesOf(cwd: string): readonly string[] {
  const runs = path.join(cwd, ".kindlm", "runs");
  const ids = existsSync(runs) ? readdirSync(runs).filter((name) => name !== ".gitignore") : [];
  return ids.flatMap((id) => readdirSync(path.join(runs, id))).toSorted();
}

/** Breaks in the middle of a run: no event can be stamped any more. */
function brittleClock(): { clock: Clock; breakNow(): void } {
  const clock = createSystemClock();
  let isBroken = false;
  const now = (): number => {
    if (isBroken) throw new Error("The clock is broken");
    return clock.now();
  };
  return { clock: { ...clock, now }, breakNow: () => (isBroken = true) };
}

describe("a run lets go of its folder", () => {
  it("when it has gone through", async () => {
    const cwd = makeProject({ "kindlm.yaml": config() });
    expect(await runTests({}, { env: {}, cwd })).toMatchObject({ success: true });
    expect(filesOf(cwd)).toEqual(["journal.jsonl", "run.json"]);
  });

  it("without a result when its trials are lost, and says so", async () => {
    const cwd = makeProject({ "kindlm.yaml": config() });
    const redactor = createRedactor([]);
    const redactJson: Redactor["redactJson"] = (text) => {
      if (text.includes('"kind":"trial"')) throw new Error("no space");
      return redactor.redactJson(text);
    };
    const ran = await runTests({}, { env: {}, cwd, redactor: { ...redactor, redactJson } });
    expect(ran).toMatchObject({ data: { verdict: "passed", warnings: [{ code: "STORE_WRITE_ERROR" }] } });
    expect(filesOf(cwd)).toEqual(["journal.jsonl"]);
  });

  it("when it was interrupted", async () => {
    const cwd = makeProject({ "kindlm.yaml": config() });
    const ran = await runTests({}, { env: {}, cwd, signal: AbortSignal.abort() });
    expect(ran).toMatchObject({ data: { run: { interrupted: true } } });
    expect(filesOf(cwd)).toEqual(["journal.jsonl", "run.json"]);
  });

  it("when a plugin cannot be used", async () => {
    const cwd = makeProject({ "kindlm.yaml": config("plugins: [./plugin.js]"), "plugin.js": "export default 1" });
    expect(await runTests({}, { env: {}, cwd })).toMatchObject({ success: false });
    expect(filesOf(cwd)).toEqual(["journal.jsonl"]);
  });

  it("when it crashes in the middle, and can be resumed by the same process", async () => {
    const cwd = makeProject({ "kindlm.yaml": config() });
    const { clock, breakNow } = brittleClock();
    const onEvent = ({ type }: { type: string }): void => {
      if (type === "trial:end") breakNow();
    };
    await expect(runTests({}, { env: {}, cwd, clock, onEvent })).rejects.toThrow("The clock is broken");
    expect(filesOf(cwd)).toEqual(["journal.jsonl"]);
    const resumed = await runTests({ resume: "last" }, { env: {}, cwd });
    expect(resumed).toMatchObject({ data: { verdict: "passed", run: { resumed: 1 } } });
    expect(filesOf(cwd)).toEqual(["journal.jsonl", "run.json"]);
  });

  it("when it cannot go on: as another part, with a config that is no longer valid", async () => {
    const cwd = makeProject({ "kindlm.yaml": config() });
    await runTests({}, { env: {}, cwd });
    const left = filesOf(cwd);
    expect(await runTests({ resume: "last", shard: { index: 1, of: 2 } }, { env: {}, cwd })).toMatchObject({
      error: { code: "CONFIG_VALIDATION_ERROR" },
    });
    expect(filesOf(cwd)).toEqual(left);
    writeFileSync(path.join(cwd, "kindlm.yaml"), "version: 2");
    expect(await runTests({ resume: "last" }, { env: {}, cwd })).toMatchObject({ success: false });
    expect(filesOf(cwd)).toEqual(left);
  });
});
