import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startMisbehavingServer } from "./support/misbehaving-server.js";
import { makeProject } from "./support/make-project.js";
import { runCli } from "./support/run-cli.js";
import { cliPath, runProcess, startCli } from "./support/start-cli.js";

const thousandTests = `version: 1
models:
  - { id: m, provider: scripted, script: { otherwise: { text: "an answer to {{user}} with ünïcode \\u2028 and \\"quotes\\"" } } }
suites:
  - name: s
    tests:
${Array.from(
  { length: 1_000 },
  (_, index) =>
    `      - { name: test-${index}, input: question ${index}, assert: [{ type: contains, value: question ${index} }] }`,
).join("\n")}
`;

interface Report {
  summary: { total: number; passed: number };
  suites: { tests: { id: string; trials: unknown[] }[] }[];
}

describe("output through a pipe", () => {
  it("a JSON report of 1,000 tests comes out of another process whole", () => {
    const cwd = makeProject({ "kindlm.yaml": thousandTests });
    const piped = spawnSync(`"${process.execPath}" "${cliPath}" test --reporter json | cat`, {
      cwd,
      shell: true,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
    const report = JSON.parse(piped.stdout) as Report;
    expect(report.summary).toMatchObject({ total: 1_000, passed: 1_000 });
    expect(report.suites[0]?.tests).toHaveLength(1_000);
    expect(report.suites[0]?.tests[999]).toMatchObject({ id: "s/test-999@m", status: "passed" });
    expect(report.suites[0]?.tests.every((test) => test.trials.length === 1)).toBe(true);
  });

  it("head may stop reading: no stack, no error, and the exit code is still by the tests", () => {
    const cwd = makeProject({ "kindlm.yaml": thousandTests });
    const command = `"${process.execPath}" "${cliPath}" test --verbose --reporter json 2>err.txt | head -c 100; exit \${PIPESTATUS[0]}`;
    const piped = spawnSync("bash", ["-c", command], { cwd, encoding: "utf8" });
    expect(piped.stdout).toHaveLength(100);
    expect(piped.status).toBe(0);
    const stderr = readFileSync(join(cwd, "err.txt"), "utf8");
    expect(stderr).not.toMatch(/EPIPE|Error|\bat /);
  });

  it("writes no control codes into a file", async () => {
    const cwd = makeProject({ "kindlm.yaml": thousandTests });
    const ran = await runCli(["test"], { cwd });
    expect(ran.code).toBe(0);
    expect(ran.stdout + ran.stderr).not.toContain("\u001b");
    expect(ran.stdout).toContain("Summary: 1000 passed, 0 failed, 0 errored, 0 skipped\nExit code: 0\n");
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
    const ran = await runCli(["test"], { cwd });
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
  });
});

describe("a signal", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s prints what there is and ends with 1 within 2 seconds",
    async (signal) => {
      const server = await startMisbehavingServer("never-answers", "openai");
      onTestFinished(() => server.close());
      const cwd = makeProject({
        "kindlm.yaml": `version: 1
providers: { local: { type: openai, base_url: ${server.baseUrl} } }
models:
  - { id: live, provider: local, model: m }
  - { id: offline, provider: scripted, script: { otherwise: { text: hello } } }
suites:
  - name: s
    tests:
      - { name: quick, models: [offline], input: hi, assert: [{ type: contains, value: hello }] }
      - { name: hanging, models: [live], input: hi, assert: [{ type: contains, value: hello }] }
      - { name: never, models: [offline], input: hi, assert: [{ type: contains, value: hello }] }
`,
      });
      const cli = startCli(["test", "--concurrency", "1", "--verbose"], { cwd });
      await cli.sees("s/quick");
      while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
      const from = performance.now();
      cli.child.kill(signal);
      const ran = await cli.finished;
      expect(performance.now() - from).toBeLessThan(2_000);
      expect({ code: ran.code, signal: ran.signal }).toEqual({ code: 1, signal: null });
      expect(ran.stdout).toContain("Summary: 1 passed, 0 failed, 1 errored, 1 skipped");
      const said =
        /^Go on with this run: kindlm test --concurrency 1 --verbose --resume --run \d{8}-\d{9}-[0-9a-f]{6}$/m;
      expect(ran.stderr).toMatch(said);
    },
  );
});

describe("a signal while a program runs that ignores it", () => {
  const script = `process.on("SIGTERM", () => require("fs").writeFileSync("asked", "to end")); require("fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000)`;
  const project = (): string =>
    makeProject({
      "kindlm.yaml": `version: 1
models: [{ id: m, provider: scripted, script: { otherwise: { text: hello } } }]
suites:
  - name: s
    tests: [{ name: t, input: hi, assert: [{ type: command, command: [node, check.cjs] }] }]
`,
      "check.cjs": script,
    });
  const written = async (file: string): Promise<string> => {
    while (!existsSync(file) || readFileSync(file, "utf8") === "")
      await new Promise((resolve) => setImmediate(resolve));
    return readFileSync(file, "utf8");
  };
  const isGone = (pid: number): boolean =>
    /^Z?$/.test(
      spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" })
        .stdout.trim()
        .slice(0, 1),
    );

  const summary = /^Summary: 0 passed, 0 failed, 1 errored, 0 skipped$/m;
  it.each<[string, NodeJS.Signals, NodeJS.Signals | null, RegExp]>([
    ["one signal still brings the results", "SIGINT", null, summary],
    ["a terminal that is closed is such a signal", "SIGHUP", null, summary],
    ["a second ends at once, without them", "SIGINT", "SIGINT", /^$/],
    ["a second of another kind ends at once, too", "SIGTERM", "SIGHUP", /^$/],
  ])("%s, and nothing is left running", async (_, first, second, stdout) => {
    const cwd = project();
    const cli = startCli(["test"], { cwd });
    const pid = Number(await written(join(cwd, "pid")));
    const from = performance.now();
    cli.child.kill(first);
    // The program is asked to end once the first signal has arrived; signals that come together would count as one.
    await written(join(cwd, "asked"));
    if (second !== null) cli.child.kill(second);
    const ran = await cli.finished;
    expect(performance.now() - from).toBeLessThan(2_000);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(stdout);
    for (let tries = 0; tries < 100 && !isGone(pid); tries += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(isGone(pid)).toBe(true);
  });
});

describe("the command that an interrupted run prints", () => {
  const config = `version: 1
models: [{ id: m, provider: scripted, script: { otherwise: { text: hello } } }]
suites:
  - name: s
    tests:
      - { name: first, input: hi, tags: [a b], assert: [{ type: command, command: [node, count.cjs] }] }
      - { name: second, input: hi, tags: [a b], assert: [{ type: command, command: [node, wait.cjs] }] }
      - { name: third, input: hi, tags: [a b], assert: [{ type: command, command: [node, count.cjs] }] }
`;
  const count = `require("fs").appendFileSync("count", "x")`;
  const wait = `const fs = require("fs"); fs.writeFileSync("waits", "x"); if (!fs.existsSync("go")) setInterval(() => {}, 1000)`;
  const args = ["test", "--concurrency", "1", "--tag", "a b", "--reporter", "json=out/r.json"];

  async function interrupted(more: readonly string[] = []): Promise<{ cwd: string; stderr: string }> {
    const cwd = makeProject({ "kindlm.yaml": config, "count.cjs": count, "wait.cjs": wait });
    const cli = startCli([...args, ...more], { cwd });
    while (!existsSync(join(cwd, "waits"))) await new Promise((resolve) => setImmediate(resolve));
    cli.child.kill("SIGTERM");
    const { code, stderr } = await cli.finished;
    expect(code).toBe(1);
    return { cwd, stderr };
  }

  it("can be pasted, and runs what is missing and nothing else", async () => {
    const { cwd, stderr } = await interrupted();
    const [, command = ""] = /^Go on with this run: kindlm (.*)$/m.exec(stderr) ?? [];
    expect(command).toMatch(/^test --concurrency 1 --tag 'a b' --reporter json=out\/r\.json --resume --run \S+$/);
    writeFileSync(join(cwd, "go"), "");
    const again = spawnSync("/bin/sh", ["-c", `"${process.execPath}" "${cliPath}" ${command}`], {
      cwd,
      encoding: "utf8",
    });
    expect({ code: again.status, stderr: again.stderr }).toMatchObject({ code: 0 });
    expect(again.stderr).not.toContain("Go on with");
    const report = JSON.parse(readFileSync(join(cwd, "out/r.json"), "utf8")) as Report;
    expect(report.summary).toMatchObject({ total: 3, passed: 3 });
    expect(readFileSync(join(cwd, "count"), "utf8")).toBe("xx");
  });

  it("is a line of the log where one is asked for", async () => {
    const { stderr } = await interrupted(["--log-format", "json"]);
    const last: unknown = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
    expect(last).toMatchObject({ level: "warn", message: expect.stringMatching(/^Go on with this run: kindlm test /) });
  });

  it("is missing where nothing was kept", async () => {
    expect((await interrupted(["--no-journal"])).stderr).not.toContain("Go on with");
  });
});

describe("a check of the user's own", () => {
  const config = `version: 1
models: [{ id: m, provider: scripted, script: { otherwise: { text: hello } } }]
suites:
  - name: s
    tests: [{ name: t, input: hi, assert: [{ type: module, module: check.mjs }] }]
`;

  it("keeps the process from ending no longer than the run, and stdout for the report", async () => {
    const check = `setInterval(() => {}, 1000); export default () => { console.log("noise"); return true; };`;
    const cwd = makeProject({ "kindlm.yaml": config, "check.mjs": check });
    const ran = await runProcess(["test", "--reporter", "json"], { cwd });
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ verdict: "passed" });
    expect(ran.stderr).toContain("noise\n");
  });

  it("does not pass by ending the process", async () => {
    const cwd = makeProject({ "kindlm.yaml": config, "check.mjs": "export default () => process.exit(0);" });
    const ran = await runProcess(["test"], { cwd });
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 1, stdout: "" });
    expect(ran.stderr).toContain("✗ The process ended before the run did\n");
  });

  it("changes no verdict by errors that it leaves behind, which are told once", async () => {
    const check = `export default () => {
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
    const told = ran.stderr.split("\n").filter((line) => line.startsWith("⚠"));
    expect(told.toSorted()).toEqual(
      ["just a text", "nobody waits", "too late"].map((what) => `⚠ A module of yours left an error behind: ${what}`),
    );
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

describe("a report to what is no file", () => {
  it("goes into it and leaves it there", async () => {
    const cwd = makeProject({ "kindlm.yaml": thousandTests });
    const command = `mkfifo pipe; timeout 10 cat pipe > read.json & "${process.execPath}" "${cliPath}" test --reporter json=pipe; wait; test -p pipe`;
    expect(spawnSync("bash", ["-c", command], { cwd }).status).toBe(0);
    expect(JSON.parse(readFileSync(join(cwd, "read.json"), "utf8"))).toMatchObject({ summary: { total: 1_000 } });
  }, 20_000);
});
