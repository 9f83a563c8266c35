import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startMisbehavingServer } from "./support/misbehaving-server.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { runInShell, runProcess, startCli } from "./support/start-cli.js";
import { startWatch } from "./support/start-watch.js";
import { timeToEnd } from "./support/time-to-end.js";
import { until } from "./support/until.js";

/** Their questions are long: to run more tests would take the time, not to write them. */
const manyTests = (count: number, filler = ""): string => `version: 1
models:
  - { id: m, provider: scripted, script: { otherwise: { text: "an answer to {{user}} with ünïcode \\u2028 and \\"quotes\\"" } } }
suites:
  - name: s
    tests:
${Array.from(
  { length: count },
  (_, index) =>
    `      - { name: test-${index}, input: "question ${index}${filler}", assert: [{ type: contains, value: question ${index} }] }`,
).join("\n")}
`;

interface Report {
  summary: { total: number; passed: number };
  suites: { tests: { id: string; trials: unknown[] }[] }[];
}

/** What a pipe holds while nobody reads. */
const pipeBytes = 65_536;

describe.concurrent("output through a pipe", () => {
  it("a JSON report much longer than a pipe comes whole out of another process, and goes into what is no file", async () => {
    const count = 50;
    const cwd = makeProject({ "kindlm.yaml": manyTests(count, " and so on".repeat(500)) });
    const line = `mkfifo pipe; timeout 60 cat pipe > read.json &
kindlm test --reporter json --reporter json=pipe | cat; code=\${PIPESTATUS[0]}; wait; test -p pipe && exit $code`;
    const piped = await runInShell(line, { cwd });
    expect(piped.code, piped.stderr).toBe(0);
    expect(piped.stdout.length).toBeGreaterThan(4 * pipeBytes);
    const report = JSON.parse(piped.stdout) as Report;
    expect(report.summary).toMatchObject({ total: count, passed: count });
    expect(report.suites[0]?.tests).toHaveLength(count);
    expect(report.suites[0]?.tests[count - 1]).toMatchObject({ id: `s/test-${count - 1}@m`, status: "passed" });
    expect(report.suites[0]?.tests.every((test) => test.trials.length === 1)).toBe(true);
    expect(JSON.parse(readFileSync(join(cwd, "read.json"), "utf8"))).toEqual(report);
  });

  it("head may stop reading: no stack, no error, and the exit code is still by the tests", async () => {
    // Much more than a pipe takes while nobody reads.
    const cwd = makeProject({ "kindlm.yaml": manyTests(50, " and so on".repeat(500)) });
    const line = "kindlm test --verbose --reporter json | head -c 100; exit ${PIPESTATUS[0]}";
    const piped = await runInShell(line, { cwd });
    expect(piped.stdout).toHaveLength(100);
    expect(piped.code).toBe(0);
    expect(piped.stderr).not.toMatch(/EPIPE|Error|\bat /);
  });

  it("writes no control codes into a file", async () => {
    const cwd = makeProject({ "kindlm.yaml": manyTests(20) });
    const ran = await runCli(["test"], { cwd });
    expect(ran.code).toBe(0);
    expect(ran.stdout + ran.stderr).not.toContain("\u001b");
    expect(ran.stdout).toContain("Summary: 20 passed, 0 failed, 0 errored, 0 skipped\nExit code: 0\n");
  });
});

describe("many tools side by side", () => {
  it("are no reason for Node to warn of a leak", async () => {
    const call = "{ tool: look, args: {} }";
    const cwd = makeProject({
      "kindlm.yaml": `version: 1
models:
  - id: m
    provider: scripted
    script:
      rules: [{ when: { turn: 1 }, reply: { tool_calls: [${Array.from({ length: 30 }, () => call).join(", ")}] } }]
      otherwise: { text: done }
suites:
  - name: s
    tools:
      - name: look
        description: Looks
        parameters: { type: object }
        attributes: { readonly: true, no_effect: true }
        responses: [{ delay: 1ms, return: seen }]
    tests: [{ name: t, input: hi, assert: [{ type: tool_called, tool: look, times: 30 }] }]
`,
    });
    const warnings: Error[] = [];
    const warn = (warning: Error): unknown => warnings.push(warning);
    process.on("warning", warn);
    const ran = await runCli(["test"], { cwd });
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", warn);
    expect({ code: ran.code, stderr: ran.stderr, warnings }).toEqual({ code: 0, stderr: "", warnings: [] });
  });
});

describe.concurrent("a signal while a request and a program hang", () => {
  const summary = /^Summary: 1 passed, 0 failed, 2 errored, 1 skipped$/m;

  it.for<readonly [string, NodeJS.Signals, NodeJS.Signals | null]>([
    ["one signal ends both, starts nothing more, and prints what there is and how to go on", "SIGINT", null],
    ["a terminal that is closed is such a signal", "SIGHUP", null],
    ["a second ends at once, without results", "SIGINT", "SIGINT"],
    ["a second of another kind ends at once, too", "SIGTERM", "SIGHUP"],
  ])("%s; within two seconds, with code 1, and nothing is left running", async ([, first, second], context) => {
    const server = await startMisbehavingServer("never-answers", "openai");
    context.onTestFinished(() => server.close());
    const watch = await startWatch(context.onTestFinished);
    const hello = "assert: [{ type: contains, value: hello }]";
    const cwd = makeProject({
      "kindlm.yaml": `version: 1
providers: { local: { type: openai, base_url: ${server.baseUrl} } }
models:
  - { id: live, provider: local, model: m }
  - { id: offline, provider: scripted, script: { otherwise: { text: hello } } }
suites:
  - name: s
    tests:
      - { name: quick, models: [offline], input: hi, ${hello} }
      - { name: asks, models: [live], input: hi, ${hello} }
      - { name: checks, models: [offline], input: hi, assert: [{ type: command, command: [node, stubborn.cjs] }] }
      - { name: never, models: [offline], input: hi, ${hello} }
`,
      "stubborn.cjs": `${watch.preamble}process.on("SIGTERM", () => say("asked to end")); stay(); say("runs");`,
    });
    const cli = startCli(["test", "--concurrency", "2", "--verbose"], { cwd });
    await Promise.all([cli.sees("s/quick"), watch.hears("runs"), until(() => server.requests.length > 0)]);
    const took = timeToEnd(cli);
    cli.child.kill(first);
    // The program is asked to end once the first signal has arrived; signals that come together would count as one.
    await watch.hears("asked to end");
    if (second !== null) cli.child.kill(second);
    const ran = await cli.finished;
    expect(await took).toBeLessThan(2_000);
    expect({ code: ran.code, signal: ran.signal }).toEqual({ code: 1, signal: null });
    expect(ran.stdout).toMatch(second === null ? summary : /^$/);
    const goOn = /^Resume this run: kindlm test --concurrency 2 --verbose --resume --run \d{8}-\d{9}-[0-9a-f]{6}$/m;
    expect(goOn.test(ran.stderr)).toBe(second === null);
    await watch.allGone();
  });
});

describe.concurrent("the command that an interrupted run prints", () => {
  const config = `version: 1
models: [{ id: m, provider: scripted, script: { otherwise: { text: hello } } }]
suites:
  - name: s
    tests:
      - { name: first, input: hi, tags: [a b], assert: [{ type: command, command: [sh, count.sh] }] }
      - { name: second, input: hi, tags: [a b], assert: [{ type: command, command: [sh, wait.sh] }] }
      - { name: third, input: hi, tags: [a b], assert: [{ type: command, command: [sh, count.sh] }] }
`;
  const files = {
    "kindlm.yaml": config,
    "count.sh": "printf x >> count",
    "wait.sh": "printf x > waits; test -e go || exec sleep 1000",
  };
  const args = ["test", "--concurrency", "1", "--tag", "a b", "--reporter", "json=out/r.json"];
  const waits = (cwd: string): Promise<void> => until(() => existsSync(join(cwd, "waits")));

  it("can be pasted, and runs what is missing and nothing else", async () => {
    const cwd = makeProject(files);
    const cli = startCli(args, { cwd });
    await waits(cwd);
    cli.child.kill("SIGTERM");
    const { code, stderr } = await cli.finished;
    expect(code).toBe(1);
    const [, command = ""] = /^Resume this run: kindlm (.*)$/m.exec(stderr) ?? [];
    expect(command).toMatch(/^test --concurrency 1 --tag 'a b' --reporter json=out\/r\.json --resume --run \S+$/);
    writeFileSync(join(cwd, "go"), "");
    const again = await runInShell(`kindlm ${command}`, { cwd });
    expect({ code: again.code, stderr: again.stderr }).toMatchObject({ code: 0 });
    expect(again.stderr).not.toContain("Resume this run");
    const report = JSON.parse(readFileSync(join(cwd, "out/r.json"), "utf8")) as Report;
    expect(report.summary).toMatchObject({ total: 3, passed: 3 });
    expect(readFileSync(join(cwd, "count"), "utf8")).toBe("xx");
  });

  async function stderrOf(...more: readonly string[]): Promise<string> {
    const cwd = makeProject(files);
    const interrupt = new AbortController();
    const running = runCli([...args, ...more], { cwd, interrupt: interrupt.signal });
    await waits(cwd);
    interrupt.abort();
    const { code, stderr } = await running;
    expect(code).toBe(1);
    return stderr;
  }

  it("is a line of the log where one is asked for", async () => {
    const stderr = await stderrOf("--log-format", "json");
    const last: unknown = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
    expect(last).toMatchObject({ level: "warn", message: expect.stringMatching(/^Resume this run: kindlm test /) });
  });

  it("is missing where nothing was kept", async () => {
    expect(await stderrOf("--no-journal")).not.toContain("Resume this run");
  });
});

describe.concurrent("a check of the user's own", () => {
  const config = `version: 1
models: [{ id: m, provider: scripted, script: { otherwise: { text: hello } } }]
suites:
  - name: s
    tests: [{ name: t, input: hi, assert: [{ type: module, module: check.mjs }] }]
`;

  it("keeps the process from ending no longer than the run, and stdout for the report; its strays change nothing", async () => {
    const check = `setInterval(() => {}, 1000);
export default () => {
  console.log("noise");
  void Promise.reject(new Error("nobody waits"));
  void Promise.reject("just a text");
  return new Promise((resolve) => {
    setTimeout(() => { setTimeout(() => resolve(true), 1); throw new Error("too late"); }, 1);
  });
};
`;
    const cwd = makeProject({ "kindlm.yaml": config.replace("input: hi", "input: hi, runs: 3"), "check.mjs": check });
    const ran = await runProcess(["test", "--reporter", "json"], { cwd });
    expect({ code: ran.code, ...JSON.parse(ran.stdout) }).toMatchObject({ code: 0, verdict: "passed" });
    expect(ran.stderr.split("noise\n")).toHaveLength(4);
    // Each is told once, though it comes three times.
    const told = ran.stderr.split("\n").filter((line) => line.startsWith("⚠"));
    expect(told.toSorted()).toEqual(
      ["just a text", "nobody waits", "too late"].map((what) => `⚠ Uncaught error in your module: ${what}`),
    );
  });

  it("does not pass by ending the process, and takes nothing else with it", async () => {
    const check = `process.on("exit", () => { process.exitCode = 0; });
export default () => process.exit(0);
export const fine = () => true;`;
    const cwd = makeProject({
      "kindlm.yaml": config.replace(
        /tests: .*/,
        (tests) => `${tests.slice(0, -1)}, { name: u, input: hi, assert: [{ type: module, module: check.mjs#fine }] }]`,
      ),
      "check.mjs": check,
    });
    const ran = await runProcess(["test"], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/check\.mjs called process\.exit\(0\) +1 case\n/);
    expect(ran.stdout).toContain("Summary: 1 passed, 0 failed, 1 errored");
    expect(ran.stderr).toMatch(/⚠ The check .*check\.mjs#default called process\.exit\(0\)\n/);
    expect(ran.stderr).toMatch(/Resume this run: kindlm test --resume --run \S+\n/);
  });

  it("in another program gets the whole trial", async () => {
    const script =
      "process.exitCode = JSON.parse(require('fs').readFileSync(0)).userTurns[0].output === 'hello' ? 0 : 1";
    const cwd = makeProject({
      "kindlm.yaml": config.replace(
        "type: module, module: check.mjs",
        `type: command, command: [node, -e, "${script}"]`,
      ),
    });
    expect((await runCli(["test"], { cwd })).stdout).toContain("Summary: 1 passed");
  });
});
