import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { runShards } from "./support/shard-jobs.js";

type Project = Record<"kindlm.yaml" | "s.yaml", string>;

/** In "weak" one test fails with a tool error, one is errored and one passes at the second try; "strong" does well. */
const project = ({ run = "pass_rate: 0", weak = "errored: 9", strong = "errored: 9", delay = "0ms" }): Project => ({
  "kindlm.yaml": `version: 1
models: [{ id: m, provider: scripted, script: s.yaml, pricing: { input: 1, output: 1000 } }]
exit_on: gates
gates: { errored: 9, ${run} }
suites:
  - name: weak
    gates: { ${weak} }
    tools: [{ name: look, parameters: { type: object, properties: { id: { type: string } }, required: [id] } }]
    tests:
      - { name: good, input: hi, assert: [{ type: contains, value: hello }] }
      - { name: bad, input: use, assert: [{ type: contains, value: never }] }
      - { name: dead, input: nothing, assert: [{ type: contains, value: hello }] }
      - name: again
        input: think
        retry_until: { assert: [{ type: contains, value: hello }], max_tries: 2 }
        assert: [{ type: contains, value: hello }]
  - name: strong
    gates: { ${strong} }
    tests:
      - { name: fine, input: hi, assert: [{ type: contains, value: hello }] }
`,
  "s.yaml": `rules:
  - when: { user: use, turn: 1 }
    reply: { tool_calls: [{ tool: look, args: {} }] }
  - { when: { user: nothing }, reply: { error: { status: 404 } } }
  - { when: { user: think }, reply: { text: let me see } }
  - { when: { user: use }, reply: { text: sorry, delay: ${delay} } }
otherwise: { text: hello }
`,
});

/** In the words of the gates; the report has a column for each part. */
const gateLines = (stdout: string): readonly string[] =>
  (stdout.split("\nGATES\n")[1]?.split("\n\n")[0] ?? "")
    .split("\n")
    .map((line) => line.trim().replace(/^(. .+?) {3,}(.+?) {3,}/, "$1: $2, expected "));
const tripped = (stdout: string): readonly string[] => gateLines(stdout).filter((line) => line.startsWith("✗"));

/** Leaves the failure and the error to other gates. */
const lenient = "errored: 9, pass_rate: 0";

describe.concurrent("a gate fails alone", () => {
  it.each([
    ["pass_rate: 0.8", "pass_rate", "75%, expected at least 80%", "66.7%, expected at least 80%"],
    ["first_try: 0.5", "first_try", "0%, expected at least 50%", "0%, expected at least 50%"],
    ["judge_avg: 0.5", "judge_avg", "unknown, expected at least 0.5", "unknown, expected at least 0.5"],
    ["cost: 0.001", "cost", "$0.0132, expected at most $0.001", "$0.0112, expected at most $0.001"],
    ["latency_p95: 10ms", "latency_p95", "", ""],
    ["tool_errors: 0", "tool_errors", "1, expected at most 0", "1, expected at most 0"],
    ["tool_errors: { validation: 0 }", "tool_errors.validation", "1, expected at most 0", "1, expected at most 0"],
  ])("%s", async (gate, name, ofRun, ofSuite) => {
    const whole = await runCli(["test"], { cwd: makeProject(project({ run: gate, weak: lenient, delay: "20ms" })) });
    expect(tripped(whole.stdout)).toEqual([expect.stringContaining(`✗ ${name}: ${ofRun}`)]);
    expect(whole.stdout).toMatch(new RegExp(`Why it failed: gate ${name}: [^;]*\nSummary: 3 passed`));
    expect(whole.code).toBe(1);
    const suite = await runCli(["test"], { cwd: makeProject(project({ weak: `errored: 9, ${gate}`, delay: "20ms" })) });
    expect(tripped(suite.stdout)).toEqual([expect.stringContaining(`✗ ${name} of suite "weak": ${ofSuite}`)]);
    expect(suite.code).toBe(1);
  });

  it("errored, of the run or of the suite that has the errors", async () => {
    const files = project({ weak: "errored: 0" });
    const suite = await runCli(["test"], { cwd: makeProject(files) });
    expect(tripped(suite.stdout)).toEqual(['✗ errored of suite "weak": 1, expected at most 0']);
    const config = files["kindlm.yaml"].replace("errored: 9, pass_rate", "pass_rate");
    const ungated = await runCli(["test"], { cwd: makeProject({ ...files, "kindlm.yaml": config }) });
    expect(ungated.stdout).toContain('Why it failed: gate errored of suite "weak": 1, expected at most 0\n');
    const allowing = config.replace("gates: { errored: 0 }", "gates: { errored: 1 }");
    expect((await runCli(["test"], { cwd: makeProject({ ...files, "kindlm.yaml": allowing }) })).code).toBe(0);
    const elsewhere = config.replace("gates: { errored: 0 }", "gates: { cost: 1 }");
    const outside = await runCli(["test"], { cwd: makeProject({ ...files, "kindlm.yaml": elsewhere }) });
    expect(outside.stdout).toContain("Why it failed: 1 test errored\n");
  });

  it("and none where all is well, with --gate beside those of a suite", async () => {
    const strong = "pass_rate: 1, cost: 1, latency_p95: 60s, tool_errors: 0, errored: 0, on_inconclusive: pass";
    const cwd = makeProject(project({ strong }));
    const passing = await runCli(["test", "--gate", "0.7"], { cwd });
    expect([passing.code, tripped(passing.stdout)]).toEqual([0, []]);
    expect(gateLines(passing.stdout)).toHaveLength(8);
    const failing = await runCli(["test", "--gate", "0.8"], { cwd });
    expect(tripped(failing.stdout)).toEqual(["✗ pass_rate: 75%, expected at least 80%"]);
  });
});

describe.concurrent("a failed test that no gate reads fails the run", () => {
  const unread = '1 test failed, and no gate that was evaluated reads the failures of suite "weak"';
  const uncovered =
    'No gate reads the failures of suites "weak", "strong", so a failed test there fails the run despite exit_on: gates';

  it.each([
    ["a limit on cost alone", { run: "cost: 9" }, uncovered],
    [
      "gates of another suite",
      { run: "cost: 9", strong: "pass_rate: 1" },
      uncovered.replace('s "weak", "strong"', ' "weak"'),
    ],
    ["scores and tries, which not every test has", { run: "first_try: 0, judge_avg: 0" }, uncovered],
  ])("%s", async (_name, gates, warning) => {
    const cwd = makeProject(project(gates));
    const { stdout, stderr, code } = await runCli(["test"], { cwd });
    expect([code, stdout]).toEqual([1, expect.stringContaining(`Why it failed: ${unread}`)]);
    expect(stderr).toContain(`⚠ ${warning}\n`);
    const validated = await runCli(["validate"], { cwd });
    expect([validated.code, validated.stdout + validated.stderr]).toEqual([0, expect.stringContaining(warning)]);
    const covered = await runCli(["test", "--gate", "0"], { cwd });
    expect(covered.stdout + covered.stderr).not.toContain("no gate");
    expect(covered.stderr).not.toContain("No gate");
  });

  it("in a shard too, unless a gate may decide after the merge", async () => {
    const alone = await runShards(2, project({ run: "cost: 9", strong: "pass_rate: 1" }));
    expect(alone.outcomes.map(({ code, stdout }) => [code, stdout.includes(unread)])).toContainEqual([1, true]);
    const later = await runShards(2, project({ run: "cost: 9", weak: "errored: 9, regressions: 0" }));
    expect(later.outcomes.map(({ code }) => code)).toEqual([0, 0]);
    const merged = await runCli(["merge", later.artifacts], { cwd: makeProject({}) });
    expect([merged.code, merged.stdout]).toEqual([1, expect.stringContaining(unread)]);
  });

  it("as does one that is new, where only the baseline has a gate", async () => {
    const files = project({ run: "regressions: 0" });
    const cwd = makeProject(files);
    await runCli(["test"], { cwd });
    await runCli(["baseline", "set", "--allow-errored"], { cwd });
    const known = await runCli(["test"], { cwd });
    expect([known.code, known.stdout]).toEqual([0, expect.stringContaining("Summary: 3 passed, 1 failed, 1 errored")]);
    writeFileSync(join(cwd, "kindlm.yaml"), files["kindlm.yaml"].replace("name: bad", "name: worse"));
    const renamed = await runCli(["test"], { cwd });
    expect([renamed.code, renamed.stdout]).toEqual([
      1,
      expect.stringContaining(
        'Why it failed: 1 test of suite "weak" failed without being compared with the baseline, and no other gate reads failures\n',
      ),
    ]);
  });
});

describe.concurrent("gates of suites in shards", () => {
  it("wait for the merge, and trip there", async () => {
    const files = project({ weak: "pass_rate: 0.8, errored: 0", strong: "pass_rate: 1" });
    const { artifacts, outcomes } = await runShards(2, files);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    const { stdout, code } = await runCli(["merge", artifacts], { cwd: makeProject(files) });
    expect(code).toBe(1);
    expect(tripped(stdout)).toEqual([
      '✗ pass_rate of suite "weak": 66.7%, expected at least 80%',
      '✗ errored of suite "weak": 1, expected at most 0',
    ]);
    const whole = await runCli(["test"], { cwd: makeProject(files) });
    expect(gateLines(stdout)).toEqual(gateLines(whole.stdout));
  });

  it("must be the same in all jobs", async () => {
    const { artifacts } = await runShards(2, project({ weak: "pass_rate: 0.8" }));
    const changed = await runShards(2, project({ weak: "pass_rate: 0.7" }));
    const mixed = [join(artifacts, "shard-1"), join(changed.artifacts, "shard-2")];
    const { stderr, code } = await runCli(["merge", ...mixed], { cwd: makeProject(project({})) });
    expect([code, stderr]).toEqual([1, expect.stringContaining("are judged by different gates")]);
  });
});

describe.concurrent("gates that ask for the baseline", () => {
  const two = project({ strong: "regressions: 0", run: "pass_rate: 0, regressions: 5, on_inconclusive: fail" });
  const worse = (files: Project): string => files["s.yaml"].replace("text: hello", "text: bye");

  it("only warn before one is set, trip when a suite is regressed, and when it cannot be read", async () => {
    const cwd = makeProject(two);
    const before = await runCli(["test"], { cwd });
    expect(before.code).toBe(0);
    expect(gateLines(before.stdout)).toContain("– regressions is not evaluated: there is no baseline to compare with");
    expect(before.stderr).toContain(
      '⚠ No baseline to compare with: gate regressions, gate inconclusive, gate regressions of suite "strong"\n',
    );
    const set = await runCli(["baseline", "set", "--allow-errored"], { cwd });
    expect(set.code, set.stderr).toBe(0);
    const same = await runCli(["test"], { cwd });
    expect([same.code, tripped(same.stdout)]).toEqual([0, []]);
    writeFileSync(join(cwd, "s.yaml"), worse(two));
    const after = await runCli(["test"], { cwd });
    expect(after.code).toBe(1);
    expect(tripped(after.stdout)).toEqual([
      '✗ regressions: 3, expected at most 5: suite "weak" is regressed, suite "strong" is regressed',
      '✗ regressions of suite "strong": 1, expected at most 0: suite "strong" is regressed',
    ]);
    const folder = join(cwd, ".kindlm", "baselines");
    const file = readdirSync(folder).find((name) => name.startsWith("strong")) ?? "";
    writeFileSync(join(folder, file), readFileSync(join(folder, file), "utf8").replace("strong", "strung"));
    const damaged = await runCli(["test"], { cwd });
    expect(damaged.code).toBe(1);
    expect(tripped(damaged.stdout)).toEqual([
      expect.stringMatching(/^✗ regressions cannot be evaluated: /),
      expect.stringMatching(/^✗ inconclusive cannot be evaluated: /),
      expect.stringMatching(/^✗ regressions of suite "strong" cannot be evaluated: /),
    ]);
  });
});

it.concurrent("warns of gates that decide nothing, in suites too, and names the keys that there are", async () => {
  const files = project({ weak: "pass_rate: 0.5, errored: 2", strong: "errored: 0", run: "pass_rate: 0.5" });
  const config = files["kindlm.yaml"].replace("exit_on: gates\n", "");
  const idle = await runCli(["validate"], { cwd: makeProject({ ...files, "kindlm.yaml": config }) });
  expect(idle.stderr + idle.stdout).toContain("any failed test already gives exit code 1");
  const all = await runCli(["validate", "--all"], { cwd: makeProject({ ...files, "kindlm.yaml": config }) });
  expect((all.stderr + all.stdout).match(/This gate decides nothing/g)).toHaveLength(4);
  const wrong = await runCli(["validate"], { cwd: makeProject(project({ weak: "judge_average: 0.5" })) });
  expect(wrong.stderr + wrong.stdout).toContain('Unknown key "judge_average"');
  expect(wrong.stderr + wrong.stdout).toContain("judge_avg");
});
