import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { withoutVolatileFields } from "../packages/core/src/reporters/json/without-volatile-fields.js";
import { makeProject, type ProjectFiles } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { check, runIds, runShards, single } from "./support/shard-jobs.js";
import { sendJson, startServer } from "../packages/core/src/__fixtures__/start-server.js";

const reportIn = (cwd: string, name = "out.json"): unknown => JSON.parse(readFileSync(join(cwd, name), "utf8"));

describe("kindlm merge", () => {
  it("refuses what is not every shard of one run, each once, and says which", async () => {
    const { artifacts } = await runShards(
      3,
      single("hello", `[{ name: a, input: hi, ${check} }, { name: b, input: hi, ${check} }]`),
    );
    const folder = (index: number): string => join(artifacts, `shard-${index}`);
    const cwd = makeProject(single("hello"));
    const merge = async (...runs: readonly string[]): Promise<string> => {
      const { code, stderr, stdout } = await runCli(["merge", ...runs], { cwd });
      expect([code, stdout]).toEqual([1, ""]);
      return stderr;
    };
    expect(await merge(folder(1), folder(3))).toBe(
      "✗ Shard 2 of 3 is missing\n  Name its run folder too, or run kindlm test --shard 2/3\n",
    );
    expect(await merge(artifacts, folder(2))).toContain("✗ Shard 2 of 3 was given twice: ");
    const other = await runShards(
      3,
      single("other", `[{ name: a, input: hi, ${check} }, { name: b, input: hi, ${check} }]`),
    );
    expect(await merge(folder(1), folder(2), join(other.artifacts, "shard-3"))).toContain(
      "but not the same tests in them",
    );
    const seeded = await runShards(1, single("hello"), ["--seed", "7"]);
    expect(await merge(folder(1), seeded.artifacts)).toContain("are not shards of the same split");
    const whole = makeProject(single("hello"));
    await runCli(["test"], { cwd: whole });
    const [run = ""] = runIds(join(whole, ".kindlm/runs"));
    expect(await merge(artifacts, join(whole, ".kindlm/runs", run))).toContain("is a whole run, not a shard");
    // One that is only found is passed over.
    await cp(join(whole, ".kindlm"), join(artifacts, "more"), { recursive: true });
    expect((await runCli(["merge", artifacts], { cwd })).code).toBe(0);
    const [unfinished = ""] = runIds(join(folder(2), "runs"));
    await rm(join(folder(2), "runs", unfinished, "run.json"));
    expect(await merge(artifacts)).toContain(`✗ Shard 2 of 3 did not finish: `);
    expect(await merge("nowhere")).toContain('Run "nowhere" not found');
    await mkdir(join(cwd, "empty"));
    expect(await merge("empty")).toContain("No run found in empty");
  });

  it("takes the ids of runs, and fails with the shard that failed", async () => {
    const cwd = makeProject(
      single(
        "goodbye",
        `[{ name: a, input: hi, ${check} }, { name: b, input: hi, assert: [{ type: contains, value: goodbye }] }]`,
      ),
    );
    const [one, two] = [
      await runCli(["test", "--shard", "1/2"], { cwd }),
      await runCli(["test", "--shard", "2/2"], { cwd }),
    ];
    expect([one.code, two.code]).toEqual(expect.arrayContaining([0, 1]));
    const ids = runIds(join(cwd, ".kindlm/runs"));
    const merged = await runCli(["merge", ...ids], { cwd });
    expect(merged.stdout).toContain("Summary: 1 passed, 1 failed");
    expect(merged.code).toBe(1);
  });

  it("lets the gates decide about all cases together", async () => {
    const tests = `[{ name: a, input: hi, ${check} }, { name: b, input: hi, assert: [{ type: contains, value: goodbye }] }]`;
    const files = single("hello", tests);
    const gated = (rate: number): ProjectFiles => ({
      ...files,
      "kindlm.yaml": `${String(files["kindlm.yaml"])}gates: { pass_rate: ${rate} }\nexit_on: gates\n`,
    });
    for (const [rate, code] of [
      [0.5, 0],
      [0.6, 1],
    ] as const) {
      const { artifacts, outcomes } = await runShards(2, gated(rate));
      // No shard knows the rate of the whole run.
      expect(outcomes.map((outcome) => outcome.code)).toEqual([0, 0]);
      const merged = await runCli(["merge", artifacts], { cwd: makeProject(files) });
      expect(merged.code, merged.stdout).toBe(code);
      expect(merged.stdout).toMatch(/^. pass_rate {3}50% /m);
    }
  });

  it("counts what a resumed shard spent before, and trials that were only evaluated again once", async () => {
    const answer = { choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "hello" } }] };
    const usage = { prompt_tokens: 1_000, completion_tokens: 100 };
    let isBroken = true;
    const server = await startServer(({ body }, response) => {
      if (isBroken && body.includes("second")) return sendJson(response, 500, { error: { message: "no" }, usage });
      return sendJson(response, 200, { id: "r", model: "m", ...answer, usage });
    });
    onTestFinished(() => server.close());
    const config = (expected: string): string => `version: 1
defaults: { concurrency: 1 }
retry: disabled
providers: { local: { type: openai, base_url: "${server.url}/v1" } }
models: [{ id: m, provider: local, model: m, pricing: { input: 1, output: 10 } }]
suites:
  - name: s
    tests:
      - { name: one, input: first, assert: [{ type: contains, value: ${expected} }] }
      - { name: two, input: second, assert: [{ type: contains, value: ${expected} }] }
`;
    const cwd = makeProject({ "kindlm.yaml": config("goodbye") });
    await runCli(["test", "--shard", "1/1"], { cwd });
    isBroken = false;
    await writeFile(join(cwd, "kindlm.yaml"), config("hello"));
    const resumed = await runCli(["test", "--resume", "--reporter", "json=resumed.json"], { cwd });
    expect(resumed.code, resumed.stdout).toBe(0);
    const [id = ""] = runIds(join(cwd, ".kindlm/runs"));
    await runCli(["merge", id, "--reporter", "json=out.json"], { cwd });
    const own = reportIn(cwd, "resumed.json") as { run: { shard?: unknown } };
    delete own.run.shard;
    expect(withoutVolatileFields(reportIn(cwd))).toEqual(withoutVolatileFields(own));
    expect(reportIn(cwd)).toMatchObject({ summary: { passed: 2, requests: 3 } });
    expect(server.requests).toHaveLength(3);
  });

  it("only reads the shards, which may lie in a bucket that is mounted", async () => {
    const { artifacts } = await runShards(
      2,
      single("hello", `[{ name: a, input: hi, ${check} }, { name: b, input: hi, ${check} }]`),
    );
    const contentIn = () =>
      readdirSync(artifacts, { recursive: true, withFileTypes: true }).map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [path, entry.isFile() ? readFileSync(path, "utf8") : ""];
      });
    const before = contentIn();
    const merged = await runCli(["merge", artifacts], { cwd: makeProject(single("hello")) });
    expect(merged.stdout).toContain("Summary: 2 passed");
    expect(contentIn()).toEqual(before);
  });

  it("warns when it cannot keep the merged run; the verdict stands", async () => {
    const { artifacts } = await runShards(2, single("hello"));
    const cwd = makeProject({ ...single("hello"), ".kindlm": "in the way" });
    const merged = await runCli(["merge", artifacts], { cwd });
    expect(merged.stderr).toContain("⚠ Cannot write");
    expect(merged.stdout).toContain("Summary: 1 passed");
    expect(merged.code).toBe(0);
  });
});
