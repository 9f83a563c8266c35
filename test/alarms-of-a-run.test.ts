import { cpSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { secretKey } from "./support/cassette-project.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { runCli } from "./support/run-cli.js";
import { sendJson, startServer, type LoopbackServer } from "../packages/core/src/__fixtures__/start-server.js";

const env = { LOCAL_KEY: secretKey };
const suites = Array.from({ length: 10 }, (_, index) => `s${index}`);
/** How many of the eight questions of a suite are answered wrong; in the first run, which is the baseline, none. */
let wrong: Readonly<Record<string, number>> = {};
let server: LoopbackServer;
let blessed: string;

beforeAll(async () => {
  server = await startServer(({ body }, response) => {
    const [, suite = "", question = ""] = /"(s\d) q(\d)"/.exec(body) ?? [];
    sendJson(response, 200, chatCompletion({ text: Number(question) < (wrong[suite] ?? 0) ? "no" : "hello" }));
  });
  const suiteText = (name: string): string => `
  - name: ${name}
    tests:
      - { name: t, rows: [${Array.from({ length: 8 }, (_, n) => `{ id: q${n} }`).join(", ")}], input: "${name} {{row.id}}", assert: [{ type: contains, value: hello }] }`;
  blessed = makeProject({
    "kindlm.yaml": `version: 1
exit_on: gates
gates: { regressions: 3, pass_rate: 0 }
providers: { local: { type: openai, base_url: "${server.url}/v1", api_key_env: LOCAL_KEY } }
models: [{ id: m, provider: local, model: m-1 }]
suites:${suites.map(suiteText).join("")}
`,
  });
  expect(await runCli(["test"], { cwd: blessed, env })).toMatchObject({ code: 0 });
  expect(await runCli(["baseline", "set"], { cwd: blessed, env })).toMatchObject({ code: 0 });
});

afterAll(() => server.close());

function project(): string {
  const cwd = makeProject({});
  cpSync(blessed, cwd, { recursive: true });
  return cwd;
}

interface Suite {
  suite: string;
  verdict: string;
  p: number;
  adjustedP?: number;
  testedSuites?: number;
}

/** Five wrong answers of eight single trials have p = 1/32 by themselves. */
const one = { s3: 5 };
const p = 0.03125;

async function suiteOf(cwd: string, args: readonly string[]): Promise<Suite | undefined> {
  const { stdout } = await runCli(args, { cwd, env });
  const parsed = JSON.parse(stdout) as { comparison?: { suites: Suite[] }; suites: Suite[] };
  return (parsed.comparison?.suites ?? parsed.suites).find(({ suite }) => suite === "s3");
}

describe("a suite among ten that got worse as far as chance explains", () => {
  it("is no alarm of the run, and is one where nothing else is compared", async () => {
    const cwd = project();
    wrong = one;
    const whole = await runCli(["test"], { cwd, env });
    expect(whole.code).toBe(0);
    expect(whole.stdout).toMatch(
      /^\? s3 {3}inconclusive {5}−62\.5 points .* p = 0\.313\n {2}8 cases · p adjusted for 10 suites$/m,
    );
    expect(whole.stdout).not.toContain("regressed");
    const stored = { verdict: "inconclusive", p, adjustedP: 10 * p, testedSuites: 10 };
    expect(await suiteOf(cwd, ["report", "last", "--reporter", "json"])).toMatchObject(stored);
    expect(await suiteOf(cwd, ["baseline", "compare", "--json"])).toMatchObject({ verdict: "inconclusive", p });
    // A report of a run that an older version decided about tells what that said.
    const folder = join(
      cwd,
      ".kindlm",
      "runs",
      readdirSync(join(cwd, ".kindlm", "runs"))
        .toSorted()
        .at(-1) ?? "",
    );
    const file = readFileSync(join(folder, "run.json"), "utf8");
    const older = file.replaceAll(/"adjusted":\{[^}]*\},?/g, "").replace('"verdict":"inconclusive"', '"verdict":"ok"');
    expect(older).not.toBe(file);
    writeFileSync(join(folder, "run.json"), older);
    const report = await runCli(["report", "last"], { cwd, env });
    expect(report.stdout).toMatch(/ p = 0\.031\n {2}8 cases$/m);
    const alone = await runCli(["test", "--suite", "s3"], { cwd, env });
    expect(alone.stdout).toMatch(/^▼ s3 {3}regressed .* p = 0\.031\n {2}8 cases$/m);
    expect(alone.code).toBe(1);
  });

  it("is one of the merged run, not of the shards", async () => {
    const cwd = project();
    const artifacts = makeProject({});
    wrong = one;
    for (const shard of ["1/2", "2/2"]) {
      const job = project();
      await runCli(["test", "--shard", shard], { cwd: job, env });
      const runs = join(job, ".kindlm", "runs");
      await rename(join(runs, readdirSync(runs).toSorted().at(-1) ?? ""), join(artifacts, shard.replace("/", "-")));
    }
    const merged = await suiteOf(cwd, ["merge", artifacts, "--reporter", "json"]);
    expect(merged).toMatchObject({ verdict: "inconclusive", p, adjustedP: 10 * p, testedSuites: 10 });
  });

  it("makes no suspects for --confirm; what is an alarm is tested among the alarms", async () => {
    const cwd = project();
    wrong = one;
    const calm = await runCli(["test", "--confirm"], { cwd, env });
    expect(calm.stderr).not.toContain("suspect");
    wrong = { s3: 8, s4: 8, s5: 5 };
    const alarmed = await runCli(["test", "--confirm", "--reporter", "json"], { cwd, env });
    const report = JSON.parse(alarmed.stdout) as { exitCode: number; comparison: { suites: Suite[] } };
    expect(report.exitCode).toBe(1);
    expect(
      report.comparison.suites
        .slice(3, 6)
        .map((suite) => [suite.verdict, suite.p, suite.adjustedP, suite.testedSuites]),
    ).toEqual([
      ["regressed", 2 ** -8, 2 ** -7, 2],
      ["regressed", 2 ** -8, 2 ** -7, 2],
      ["inconclusive", p, 8 * p, 10],
    ]);
  });
});
