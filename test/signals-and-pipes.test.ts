import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startMisbehavingServer } from "./support/misbehaving-server.js";
import { makeLifeline } from "../packages/core/src/__fixtures__/make-lifeline.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { runInShell, runProcess, startCli } from "./support/start-cli.js";
import { timeToEnd } from "./support/time-to-end.js";
import { until } from "./support/until.js";

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
/** A config whose report is much longer than that. To run more tests would take the time, not to write long questions. */
const longCount = 10;
const longReport = { "kindlm.yaml": manyTests(longCount, " and so on".repeat(3_000)) };

describe.concurrent("output through a pipe", () => {
  it("a JSON report much longer than a pipe comes whole out of another process, and goes into what is no file", async () => {
    const cwd = makeProject(longReport);
    const line = `mkfifo pipe; timeout 60 cat pipe > read.json &
kindlm test --reporter json --reporter json=pipe | cat; code=\${PIPESTATUS[0]}; wait; test -p pipe && exit $code`;
    const piped = await runInShell(line, { cwd });
    expect(piped.code, piped.stderr).toBe(0);
    expect(piped.stdout.length).toBeGreaterThan(4 * pipeBytes);
    const report = JSON.parse(piped.stdout) as Report;
    expect(report.summary).toMatchObject({ total: longCount, passed: longCount });
    expect(report.suites[0]?.tests).toHaveLength(longCount);
    expect(report.suites[0]?.tests[longCount - 1]).toMatchObject({ id: `s/test-${longCount - 1}@m`, status: "passed" });
    expect(report.suites[0]?.tests.every((test) => test.trials.length === 1)).toBe(true);
    expect(JSON.parse(readFileSync(join(cwd, "read.json"), "utf8"))).toEqual(report);
  });

  it("head may stop reading: no stack, no error, and the exit code is still by the tests", async () => {
    const cwd = makeProject(longReport);
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
  /** Notes that it was asked to end, and ignores it. Ends by itself when its folder is removed. */
  const stubborn = `trap 'touch asked' TERM
touch running
while [ -e stubborn.sh ]; do (trap '' TERM; exec sleep 1) & wait $!; done
`;
  const summary = /^Summary: 1 passed, 0 failed, 2 errored, 1 skipped$/m;

  it.for<readonly [string, NodeJS.Signals, NodeJS.Signals | null]>([
    ["one signal ends both, starts nothing more, and prints what there is and how to go on", "SIGINT", null],
    ["a second ends at once, without results", "SIGINT", "SIGINT"],
    ["a second of another kind ends at once, too", "SIGTERM", "SIGHUP"],
  ])("%s; within two seconds, with code 1, and nothing is left running", async ([, first, second], context) => {
    const server = await startMisbehavingServer("never-answers", "openai");
    context.onTestFinished(() => server.close());
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
      - { name: checks, models: [offline], input: hi, assert: [{ type: command, command: [sh, stubborn.sh] }] }
      - { name: never, models: [offline], input: hi, ${hello} }
`,
    });
    const { hold, isHeld } = makeLifeline(cwd);
    writeFileSync(join(cwd, "stubborn.sh"), hold + stubborn);
    const is = (what: string): Promise<void> => until(() => existsSync(join(cwd, what)));
    const cli = startCli(["test", "--concurrency", "2", "--verbose"], { cwd });
    await Promise.all([cli.sees("s/quick"), is("running"), until(() => server.requests.length > 0)]);
    const took = timeToEnd(cli);
    cli.child.kill(first);
    // The program is asked to end once the first signal has arrived; signals that come together would count as one.
    await is("asked");
    if (second !== null) cli.child.kill(second);
    const ran = await cli.finished;
    expect(await took).toBeLessThan(2_000);
    expect({ code: ran.code, signal: ran.signal }).toEqual({ code: 1, signal: null });
    expect(ran.stdout).toMatch(second === null ? summary : /^$/);
    const goOn = /^Resume this run: kindlm test --concurrency 2 --verbose --resume --run \d{8}-\d{9}-[0-9a-f]{6}$/m;
    expect(goOn.test(ran.stderr)).toBe(second === null);
    // What is killed ends a moment after the program that killed it.
    await until(() => !isHeld());
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

  it("can be pasted, and runs what is missing and nothing else, also after a terminal was closed", async () => {
    const cwd = makeProject(files);
    const cli = startCli(args, { cwd });
    await waits(cwd);
    cli.child.kill("SIGHUP");
    const { code, stderr } = await cli.finished;
    expect(code).toBe(1);
    const [, command = ""] = /^Resume this run: kindlm (.*)$/m.exec(stderr) ?? [];
    expect(command).toMatch(/^test --concurrency 1 --tag 'a b' --reporter json=out\/r\.json --resume --run \S+$/);
    writeFileSync(join(cwd, "go"), "");
    // A shell takes the words of the line apart.
    const words = await runInShell(`printf '%s\\0' ${command}`, { cwd });
    const again = await runCli(words.stdout.split("\0").slice(0, -1), { cwd });
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
  const configOf = (...tests: readonly string[]): string => `version: 1
models: [{ id: m, provider: scripted, script: { otherwise: { text: hello } } }]
suites: [{ name: s, tests: [${tests.join(", ")}] }]
`;

  it("keeps the process no longer than the run, and stdout for the report; neither its strays nor its end change anything else", async () => {
    const noisy = `setInterval(() => {}, 1000);
export default () => {
  console.log("noise");
  void Promise.reject(new Error("nobody waits"));
  void Promise.reject("just a text");
  return new Promise((resolve) => {
    setTimeout(() => { setTimeout(() => resolve(true), 1); throw new Error("too late"); }, 1);
  });
};
`;
    const ending = `process.on("exit", () => { process.exitCode = 0; });
export default () => process.exit(0);
export const fine = () => true;`;
    const checkedBy = (name: string, module: string, more = ""): string =>
      `{ name: ${name}, input: hi, ${more}assert: [{ type: module, module: ${module} }] }`;
    const cwd = makeProject({
      "kindlm.yaml": configOf(
        checkedBy("ends", "ending.mjs"),
        checkedBy("fine", "ending.mjs#fine"),
        checkedBy("noisy", "noisy.mjs", "runs: 3, "),
      ),
      "noisy.mjs": noisy,
      "ending.mjs": ending,
    });
    const ran = await runProcess(["test", "--concurrency", "1", "--reporter", "json"], { cwd });
    const report = JSON.parse(ran.stdout) as Report;
    expect({ code: ran.code, summary: report.summary }).toMatchObject({
      code: 1,
      summary: { total: 3, passed: 2, errored: 1 },
    });
    expect(ran.stdout).toMatch(/ending\.mjs called process\.exit\(0\)"/);
    expect(ran.stderr).toMatch(/⚠ The check .*ending\.mjs#default called process\.exit\(0\)\n/);
    expect(ran.stderr).toMatch(/Resume this run: kindlm test .*--resume --run \S+\n/);
    expect(ran.stderr.split("noise\n")).toHaveLength(4);
    // Each is told once, though it comes three times.
    const told = ran.stderr.split("\n").filter((line) => line.startsWith("⚠ Uncaught"));
    expect(told.toSorted()).toEqual(
      ["just a text", "nobody waits", "too late"].map((what) => `⚠ Uncaught error in your module: ${what}`),
    );
  });

  it("in another program gets the whole trial", async () => {
    const script =
      "process.exitCode = JSON.parse(require('fs').readFileSync(0)).userTurns[0].output === 'hello' ? 0 : 1";
    const check = `{ type: command, command: [node, -e, "${script}"] }`;
    const cwd = makeProject({ "kindlm.yaml": configOf(`{ name: t, input: hi, assert: [${check}] }`) });
    expect((await runCli(["test"], { cwd })).stdout).toContain("Summary: 1 passed");
  });
});
