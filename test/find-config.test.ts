import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";

const files = {
  "kindlm.yaml": `version: 1
models:
  - { id: offline, provider: scripted, script: script.yaml }
suites:
  - name: greetings
    system_prompt_file: prompts/polite.md
    tests:
      - { name: polite, input: Hello, assert: [{ type: contains, value: Good morning }] }
      - { name: full-refund, tags: [money], input: Hello, assert: [{ type: contains, value: Hi }] }
`,
  "script.yaml": "otherwise: { text: Hi }\n",
  "prompts/polite.md": "Be polite.\n",
  "src/agent/notes.txt": "",
};

describe("a config above the current folder", () => {
  it("is found by every command, is named, and keeps its own folder for paths, runs, and baselines", async () => {
    const root = makeProject(files);
    const cwd = join(root, "src", "agent");
    const named = "Config: ../../kindlm.yaml\n";
    const ran = await runCli(["test", "--reporter", "json=report.json"], { cwd });
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Config: \.\.\/\.\.\/kindlm\.yaml\n/),
      stdout: expect.stringContaining("1 passed, 1 failed"),
    });
    expect(ran.stdout).toContain(`${root}/kindlm.yaml:8`);
    expect([existsSync(join(root, ".kindlm")), existsSync(join(cwd, ".kindlm"))]).toEqual([true, false]);
    expect(JSON.parse(readFileSync(join(cwd, "report.json"), "utf8"))).toMatchObject({ summary: { failed: 1 } });
    for (const [words, expected] of [
      ["validate", "1 suite, 2 tests"],
      ["test --list", "greetings/polite@offline"],
      ["test --rerun-failed", "0 passed, 1 failed"],
      ["runs", "2 runs"],
      ["runs show", "Run "],
      ["report", "0 passed, 1 failed"],
      ["show", "greetings/polite@offline"],
      ["baseline set", "1 baseline"],
      ["baseline list", "greetings: 1 case"],
      ["cassette list", "No cassettes"],
      ["doctor --offline", "kindlm.yaml: 1 suite"],
      ["rescore", "0 passed, 1 failed"],
    ] as const) {
      const { stdout, stderr } = await runCli(words.split(" "), { cwd });
      expect(stdout, words).toContain(expected);
      expect(stderr.split("✗")[0], words).toBe(named);
    }
    expect(existsSync(join(root, ".kindlm", "baselines"))).toBe(true);
  });

  it("is not named where it is in the current folder, was named already, or would break a log", async () => {
    const root = makeProject(files);
    const cwd = join(root, "src");
    expect((await runCli(["validate"], { cwd: root })).stderr).toBe("");
    expect((await runCli(["validate", "-c", "../kindlm.yaml"], { cwd })).stderr).toBe("");
    expect((await runCli(["validate", "../kindlm.yaml"], { cwd })).stderr).toBe("");
    expect((await runCli(["explain"], { cwd })).stderr).toBe("");
    const { stderr } = await runCli(["test", "--log-format", "json"], { cwd });
    for (const line of stderr.trimEnd().split("\n")) expect(JSON.parse(line)).toHaveProperty("level");
  });

  it("is the nearest one, and none beyond the repository", async () => {
    const root = makeProject({ ...files, "src/kindlm.yaml": "version: 1\n", "other/deep/.git/HEAD": "" });
    mkdirSync(join(root, "src", "kindlm.yaml.d"));
    expect((await runCli(["validate"], { cwd: join(root, "src", "agent") })).stderr).toContain(
      "Config: ../kindlm.yaml\n",
    );
    const outside = await runCli(["validate"], { cwd: join(root, "other", "deep") });
    expect(outside).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("✗ No kindlm.yaml in this folder or above"),
    });
  });
});

describe("a filter without a match", () => {
  it.each([
    ["-t refnd", 'No case matches "refnd"\n  Did you mean "refund"? kindlm test --list shows all cases'],
    ["-t ful-refund", '  Did you mean "full-refund"?'],
    ["-t greeting/polite", '  Did you mean "greetings/polite"?'],
    ["-t zzzzzzzz", "  kindlm test --list shows all cases"],
    ["--suite greeting", 'Suite "greeting" not found\n  Did you mean "greetings"?'],
    ["--suite greet", 'Suite "greet" not found\n  Did you mean "greetings"?'],
    ["--tag monye", 'Tag "monye" not found\n  Did you mean "money"?'],
    ["--model gpt", 'Model "gpt" not found\n  Available: offline. To add another one'],
    ["--tag money -t polite", 'No case matches "polite"\n  Other filters exclude the cases that match.'],
  ])("%s is an error with the nearest", async (words, expected) => {
    const cwd = makeProject(files);
    const { code, stdout, stderr } = await runCli(["test", ...words.split(" ")], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(expected);
    expect(existsSync(join(cwd, ".kindlm"))).toBe(false);
  });
});

describe("kindlm help", () => {
  it.each([
    ["help", "--help"],
    ["help test", "test --help"],
    ["help baseline", "baseline --help"],
    ["help baseline set", "baseline set --help"],
    ["help help", "help --help"],
    ["help --no-color test", "test --help"],
  ])("%s prints what %s prints", async (words, same) => {
    const [helped, expected] = await Promise.all([words, same].map((line) => runCli(line.split(" "), { cwd: "/" })));
    expect(helped).toMatchObject({ code: 0, stdout: expected?.stdout });
    expect(helped?.stdout).toContain("Usage: kindlm");
  });

  it.each([
    ["help tset", '✗ Unknown command "kindlm tset"\n  Did you mean "test"?\n'],
    ["help baseline sit", '✗ Unknown command "kindlm baseline sit"\n  Did you mean "set"?\n'],
    ["help test set", '✗ kindlm test has no command "set"\n  See: kindlm help test\n'],
    ["tset", '✗ Unknown command "tset"\n  Did you mean test?\n'],
    ["explain rate", '✗ Unknown error code "rate"\n  Did you mean PROVIDER_RATE_LIMIT or CLOUD_RATE_LIMIT?\n'],
    ["explain timout", "  Did you mean PROVIDER_TIMEOUT or ENGINE_TIMEOUT?\n"],
    ["explain PROVIDER_RATE_LIMITS", '  Did you mean "PROVIDER_RATE_LIMIT"?\n'],
    ["explain 209", "  Codes with near numbers: 200 PROVIDER_NOT_FOUND, 201 "],
    ["explain xyzzy", "  Run kindlm explain to list all codes\n"],
  ])("%s names what is near", async (words, expected) => {
    expect(await runCli(words.split(" "), { cwd: "/" })).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(expected),
    });
  });
});

describe("--rerun-failed", () => {
  const tests = (count: number): string =>
    Array.from(
      { length: count },
      (_, at) => `      - { name: t${at}, input: "${at}", assert: [{ type: contains, value: ok }] }\n`,
    ).join("");
  const many = (count: number): string => `version: 1
models:
  - { id: offline, provider: scripted, script: script.yaml }
suites:
  - name: s
    tests:
${tests(count)}      - { name: never, skip: not ready, input: x, assert: [{ type: contains, value: ok }] }
`;
  /** Passes for the messages that match. */
  const passing = (pattern: string): string => `rules:
  - { when: { user: { $regex: "${pattern}" } }, reply: { text: ok } }
otherwise: { text: no }
`;
  const countsOf = ({ stdout }: { stdout: string }): string | undefined => /^Summary: (.*)$/m.exec(stdout)?.[1];

  it("runs exactly what did not pass, at any number and again, in shards, and what a stopped run has not started", async () => {
    const cwd = makeProject({ "kindlm.yaml": many(140), "script.yaml": passing("^1") });
    const answer = (pattern: string): void => writeFileSync(join(cwd, "script.yaml"), passing(pattern));
    const run = (...args: string[]) => runCli(["test", ...args], { cwd });
    // 1, 10 to 19, and 100 to 139 pass.
    expect(countsOf(await run())).toBe("51 passed, 89 failed, 0 errored, 1 skipped");
    answer("^2");
    // Of the 89 others 2, and 20 to 29 pass.
    expect(countsOf(await run("--rerun-failed"))).toBe("11 passed, 78 failed, 0 errored, 0 skipped");
    expect(countsOf(await run("--rerun-failed", "--bail=40", "--concurrency", "1"))).toBe(
      "0 passed, 40 failed, 0 errored, 38 skipped",
    );
    answer("^3");
    expect(countsOf(await run("--rerun-failed"))).toBe("11 passed, 67 failed, 0 errored, 0 skipped");
    const shard = await run("--shard", "1/2");
    const [, failed = ""] = /(\d+) failed/.exec(countsOf(shard) ?? "") ?? [];
    expect(Number(failed)).toBeGreaterThan(50);
    expect(countsOf(await run("--rerun-failed", "--shard", "1/2"))).toBe(
      `0 passed, ${failed} failed, 0 errored, 0 skipped`,
    );
  });

  it("refuses to rerun one shard as another", async () => {
    const cwd = makeProject({ "kindlm.yaml": many(6), "script.yaml": passing("none") });
    await runCli(["test", "--shard", "1/2"], { cwd });
    const { code, stderr } = await runCli(["test", "--rerun-failed", "--shard", "2/2"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^✗ .*Run \S+ is shard 1\/2, so it cannot be rerun as shard 2\/2/m);
  });
});
