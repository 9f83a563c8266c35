import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cassettesIn, configTop, runWith, secretKey, serve } from "./support/cassette-project.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { runCli } from "./support/run-cli.js";
import { sendJson } from "../packages/core/src/__fixtures__/start-server.js";

const anything = "assert: [{ type: length, min: 1 }]";
const suites = (tests: readonly string[]): string =>
  `suites:\n  - name: orders\n    tests:\n${tests.map((test) => `      - { ${test}, input: hi, ${anything} }\n`).join("")}`;

/** A project with these tests recorded. */
async function recorded(tests: readonly string[]) {
  const server = await serve((_request, response) => sendJson(response, 200, chatCompletion({ text: "hello" })));
  const top = configTop(server.url);
  const cwd = makeProject({ "kindlm.yaml": top + suites(tests) });
  expect(await runWith("record", cwd)).toMatchObject({ code: 0 });
  const cassette = (...args: readonly string[]) =>
    runCli(["cassette", ...args], { cwd, env: { LOCAL_KEY: secretKey } });
  const rewrite = (now: readonly string[]): void => writeFileSync(join(cwd, "kindlm.yaml"), top + suites(now));
  return { cwd, cassette, rewrite };
}

const two = ["name: a, runs: 3", "name: b, rows: [{ id: x }, { id: y }]"];

describe("kindlm cassette", () => {
  it("list shows what there is", async () => {
    const { cwd, cassette } = await recorded(two);
    const listed = await cassette("list");
    expect(listed).toMatchObject({ code: 0, stderr: "" });
    expect(listed.stdout.replaceAll(/\d+ (?:KiB|B)/g, "SIZE")).toBe(
      `.kindlm/cassettes/orders/a.jsonl: 1 case, 3 trials, 3 exchanges, SIZE, local:m-1
.kindlm/cassettes/orders/b.jsonl: 2 cases, 2 trials, 2 exchanges, SIZE, local:m-1
2 files, SIZE
`,
    );
    const asJson = JSON.parse((await cassette("list", "--json")).stdout) as unknown;
    expect(asJson).toMatchObject([
      { file: ".kindlm/cassettes/orders/a.jsonl", suite: "orders", test: "a", exchanges: 3, problem: null },
      { models: ["local:m-1"] },
    ]);
    const elsewhere = await runCli(["cassette", "list"], { cwd: makeProject({}) });
    expect(elsewhere).toMatchObject({ code: 0, stdout: "No cassettes. Record some: kindlm test --cassette record\n" });
    const named = await runCli(["cassette", "list", "--root", cwd], { cwd: makeProject({}) });
    expect(named.stdout).toBe(listed.stdout);
  });

  it("verify fails when a file is not sound, and reports where without showing a key", async () => {
    const { cwd, cassette } = await recorded(two);
    expect(await cassette("verify")).toMatchObject({ code: 0, stdout: "2 files, 0 problems\n" });
    const file = join(cwd, ".kindlm/cassettes/orders/a.jsonl");
    const text = readFileSync(file, "utf8");
    const lines = text.trimEnd().split("\n");
    writeFileSync(file, `${text.replace('"hello"', `"${secretKey}"`)}${lines.at(-1)}\n`);
    const checked = await cassette("verify");
    expect(checked).toMatchObject({ code: 1, stderr: "" });
    expect(checked.stdout).toBe(
      `.kindlm/cassettes/orders/a.jsonl:3: contains something that looks like a key
.kindlm/cassettes/orders/a.jsonl:6: is a duplicate of line 5
2 files, 2 problems
`,
    );
    expect(JSON.parse((await cassette("verify", "--json")).stdout)).toMatchObject([
      { problems: [{ line: 3 }, { line: 6 }] },
      { problems: [] },
    ]);
  });

  it("prune takes out what the config has no more, and only reports it with --dry-run", async () => {
    const { cwd, cassette, rewrite } = await recorded([...two, "name: c"]);
    const before = cassettesIn(cwd);
    expect(await cassette("prune")).toMatchObject({ code: 0, stdout: "Nothing to remove\n" });
    rewrite(["name: a, runs: 2, only: true", "name: b, rows: [{ id: y }]"]);
    const dry = await cassette("prune", "--dry-run");
    expect(dry.stdout).toBe(`.kindlm/cassettes/orders/a.jsonl: would lose 1 recording (trial 3 of orders/a@m)
.kindlm/cassettes/orders/b.jsonl: would lose 1 recording (orders/b[x]@m)
.kindlm/cassettes/orders/c.jsonl: would be removed (orders/c@m)
3 files
`);
    expect(cassettesIn(cwd)).toEqual(before);
    const pruned = await cassette("prune", "--json");
    expect(JSON.parse(pruned.stdout)).toMatchObject([
      { file: ".kindlm/cassettes/orders/a.jsonl", isRemoved: false, trials: [{ case: "orders/a@m", trial: 3 }] },
      { cases: ["orders/b[x]@m"] },
      { isRemoved: true },
    ]);
    expect(Object.keys(cassettesIn(cwd))).toEqual(["orders/a.jsonl", "orders/b.jsonl"]);
    rewrite(["name: a, runs: 2", "name: b, rows: [{ id: y }]"]);
    expect(await runWith("replay", cwd)).toMatchObject({ code: 0, report: { summary: { passed: 2 } } });
  });

  it("prune leaves broken suites and unreadable files alone", async () => {
    const { cwd, cassette, rewrite } = await recorded(two);
    writeFileSync(join(cwd, ".kindlm/cassettes/orders/a.jsonl"), "what is this");
    rewrite(["name: z, tags: 5"]);
    const before = cassettesIn(cwd);
    await cassette("prune");
    expect(cassettesIn(cwd)).toEqual(before);
  });

  it.each([
    [["lst"], '✗ Unknown command "kindlm cassette lst"\n  Did you mean "list"?\n'],
    [["list", "--dry-run"], "✗ kindlm cassette list has no option --dry-run\n  Commands with this option: prune\n"],
  ])("%j is told what is wrong with it", async (args, told) => {
    const ran = await runCli(["cassette", ...args], { cwd: makeProject({}) });
    expect(ran).toMatchObject({ code: 1, stdout: "", stderr: told });
  });
});
