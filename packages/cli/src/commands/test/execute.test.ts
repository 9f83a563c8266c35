import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeEnvironment } from "../../__fixtures__/fake-environment.js";
import type { CliEnvironment } from "../../environment.js";
import { main } from "../../main.js";

let cwd = "";
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "kindlm-test-"));
  await main(["init", "--yes"], fakeEnvironment({ cwd }));
});
afterAll(() => rm(cwd, { recursive: true }));

async function test(
  argv: readonly string[],
  changes: Partial<CliEnvironment> = {},
): Promise<{ code: number; out: string; err: string }> {
  const environment = fakeEnvironment({ cwd, ...changes });
  const code = await main(["test", ...argv], environment);
  return { code, out: environment.stdout.text(), err: environment.stderr.text() };
}

describe("kindlm test", () => {
  it("prints the report on stdout, and nothing on stderr when it is soon over", async () => {
    const { code, out, err } = await test([]);
    expect(code).toBe(0);
    expect(out).toMatch(/^Run\n└── order-agent \(2 tests\) +2 passed .*\n/);
    expect(err).toBe("");
    expect(out + err).not.toContain("\u001b");
  });

  it("gives stdout to the reporter that was asked for, and the summary to stderr", async () => {
    const { out, err } = await test(["--reporter", "json"]);
    expect(JSON.parse(out)).toMatchObject({ schemaVersion: 2, exitCode: 0, summary: { passed: 2 } });
    expect(err).toContain("Summary: 2 passed, 0 failed, 0 errored, 0 skipped\nExit code: 0\n");
  });

  it("writes reports into files, with their folders, and still shows the results", async () => {
    const { out } = await test(["--reporter", "junit=out/a/junit.xml", "--reporter", "json=out/report.json"]);
    expect(out).toContain("Summary: 2 passed");
    expect(await readFile(join(cwd, "out/a/junit.xml"), "utf8")).toContain('tests="2"');
    expect(JSON.parse(await readFile(join(cwd, "out/report.json"), "utf8"))).toMatchObject({ verdict: "passed" });
  });

  it("warns when a report cannot be written; the tests decide the exit code", async () => {
    const { code, out, err } = await test(["--reporter", "json=kindlm.yaml/report.json"]);
    expect(code).toBe(0);
    expect(out).toContain("Summary: 2 passed");
    expect(err).toContain("⚠ Cannot write kindlm.yaml/report.json:");
  });

  it("lists the cases", async () => {
    expect((await test(["--list"])).out).toBe(
      "order-agent/looks-the-order-up@offline\norder-agent/asks-before-cancelling@offline\n",
    );
    expect(JSON.parse((await test(["--list", "--json", "-t", "looks"])).out)).toEqual([
      expect.objectContaining({ id: "order-agent/looks-the-order-up@offline", skip: null }),
    ]);
  });

  it("writes the events in their order, to a file or to stdout", async () => {
    await test(["--events", "out/events.jsonl"]);
    const { out, err } = await test(["--events", "-"]);
    for (const text of [out, await readFile(join(cwd, "out/events.jsonl"), "utf8")]) {
      const events = text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { seq: number; type: string });
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect([events[0]?.type, events.at(-1)?.type]).toEqual(["run:start", "run:end"]);
    }
    expect(err).toContain("Summary: 2 passed");
  });

  it("logs structured lines that name the run", async () => {
    const { err } = await test(["--log-format", "json", "--reporter", "json=out/r.json"]);
    const lines = err
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toMatchObject({ level: "info", message: "Run started: 2 cases, 2 trials" });
    expect(new Set(lines.map((line) => line["run_id"])).size).toBe(1);
    expect(Object.keys(lines[0] ?? {})).toEqual(["level", "code", "message", "run_id", "timestamp"]);
  });

  it("masks secrets of the environment in what it prints", async () => {
    const { out } = await test(["--reporter", "json"], { env: { MY_API_KEY: "ORD-1 was delivered" } });
    expect(out).not.toContain("was delivered");
    expect(JSON.parse(out)).toMatchObject({ summary: { passed: 2 } });
  });

  it("reports how many trials there are when a run begins: 2 cases × 3 runs", async () => {
    const told: number[] = [];
    const expectTrials = (count: number): void => void told.push(count);
    await test(["--runs", "3", "--no-journal"], { expectTrials });
    expect(told).toEqual([6]);
  });

  it("takes --bail before a path, and -c for a path", async () => {
    expect((await test(["--bail", "kindlm.yaml"])).code).toBe(0);
    const { code, err } = await test(["-c", "missing.yaml"]);
    expect(code).toBe(1);
    expect(err).toMatch(/^✗ Config file not found: missing\.yaml\n/);
  });
});
