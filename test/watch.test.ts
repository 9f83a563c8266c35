import { renameSync, rmSync, utimesSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { afterFile } from "../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sendJson, startServer } from "../packages/core/src/__fixtures__/start-server.js";
import { createSystemClock, type Clock } from "../packages/core/src/values/clock.js";
import { runCli } from "./support/run-cli.js";
import { startWatching } from "./support/start-watching.js";
import { until } from "./support/until.js";
import { importFetch } from "../packages/core/src/__fixtures__/light-fetch.js";

const held: (() => void)[] = [];
/** While it is true, the model does not answer. */
let isHeld = false;
const server = await startServer((request, response) => {
  const answer = (): void =>
    sendJson(response, 200, {
      id: "c",
      object: "chat.completion",
      model: "gpt-5.4-mini",
      choices: [{ index: 0, message: { role: "assistant", content: "On its way." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 },
    });
  if (request.path.startsWith("/broken")) sendJson(response, 400, { error: { message: "no such model" } });
  else if (isHeld) held.push(answer);
  else answer();
});
afterFile(() => server.close());

const test = (name: string, { model = "gpt", value = "way", prompt = "prompt.md" } = {}): string => `
  - name: ${name}
    system_prompt_file: ${prompt}
    models: [${model}]
    tests:
      - { name: t, input: Where?, runs: 2, assert: [{ type: contains, value: ${value} }] }`;

/** A trial of gpt costs $0.0012. */
const config = (...suites: readonly string[]): string => `version: 1
providers: { p: { type: openai, base_url: "${server.url}/v1" }, b: { type: openai, base_url: "${server.url}/broken" } }
models:
  - { id: gpt, provider: p, model: gpt-5.4-mini }
  - { id: down, provider: b, model: gpt-5.4-mini }
suites:${suites.join("")}
`;

const env = { OPENAI_API_KEY: "k" };

async function startProject(
  suites: readonly string[],
  args: readonly string[] = [],
  { isRun = true, ...given }: { isRun?: boolean; hasKeys?: boolean; clock?: Clock } = {},
) {
  const cwd = makeProject({ "kindlm.yaml": config(...suites), "prompt.md": "Be brief.", "other.md": "Be kind." });
  if (isRun) await runCli(["test"], { cwd, env });
  let before = server.requests.length;
  const session = startWatching(["watch", ...args], { cwd, env, ...given });
  if (isRun) await session.sees("Waiting for changes");
  return {
    cwd,
    ...session,
    write: (file: string, text: string) => writeFileSync(join(cwd, file), text),
    /** As editors save: a new file takes the place of the old one. */
    save(file: string, text: string) {
      writeFileSync(join(cwd, `${file}.new`), text);
      renameSync(join(cwd, `${file}.new`), join(cwd, file));
    },
    /** Requests since the last call. */
    requests() {
      const count = server.requests.length - before;
      before = server.requests.length;
      return count;
    },
  };
}

it("sends nothing for a touched file and an edited assertion, and asks before an edited prompt is run", async () => {
  const project = await startProject([test("a"), test("b", { prompt: "other.md" })]);
  utimesSync(join(project.cwd, "prompt.md"), new Date(), new Date());
  project.write("kindlm.yaml", config(test("a", { value: "gone" }), test("b", { prompt: "other.md" })));
  await project.sees("a (1 test)");
  await project.sees("1 passed, 1 failed");
  await project.sees("2 trials carried over · 2 evaluated again");
  expect(project.requests()).toBe(0);
  project.save("prompt.md", "Be very brief.");
  await project.sees("1 case changed: prompt.md   2 trials of gpt, about $0.0024 · $0 of $1 spent");
  await project.sees("enter run   space one trial each   t filter   esc skip");
  expect(project.requests()).toBe(0);
  project.press("\r");
  await project.sees("2 trials carried over · $0.0024 paid");
  await project.sees("Waiting for changes · 2 cases · $0.0024 of $1 spent");
  expect(project.requests()).toBe(2);
  // The answers to the old prompt are kept.
  project.save("prompt.md", "Be brief.");
  await project.sees("4 trials carried over");
  const { code } = await project.quit();
  expect(code).toBe(0);
  expect(project.requests()).toBe(0);
});

it("takes over what kindlm test found, runs new cases one trial at a time, and holds the limit of the session", async () => {
  const project = await startProject([test("a")], ["--max-cost", "0.002"], { isRun: false });
  await project.sees("1 new case   2 trials of gpt, cost unknown · $0 of $0.0020 spent");
  project.press(" ");
  await project.sees("$0.0012 paid");
  await project.sees("1 case to run   1 trial of gpt, about $0.0012");
  project.press("\r");
  await project.sees("Waiting for changes");
  project.write("prompt.md", "Be very brief.");
  await project.sees("2 trials of gpt");
  expect(project.requests()).toBe(2);
  project.press("\r");
  await project.sees("The session has used its $0.0020");
  expect(project.requests()).toBe(0);
  await project.quit();
});

it("shows what is wrong with a config, keeps the last results, and goes on", async () => {
  const project = await startProject([test("a")]);
  project.write("kindlm.yaml", "version: 1\nsuites: [");
  await project.sees("kindlm.yaml");
  await project.sees("Waiting for a config that can be used");
  project.write("kindlm.yaml", config(test("a", { prompt: "new.md" })));
  await project.sees("new.md");
  project.press("\r");
  project.write("new.md", "Be brief.");
  await project.sees("Waiting for changes · 1 case");
  rmSync(join(project.cwd, "new.md"));
  await project.sees('"new.md" not found');
  expect(project.requests()).toBe(0);
  await project.quit();
});

it("queues a change during a round, and ends the round with Ctrl-C", async () => {
  // Time that leaps would leap over the answers that are held back.
  const clock = createSystemClock();
  const project = await startProject([test("a"), test("b", { prompt: "other.md" })], [], { clock });
  isHeld = true;
  project.save("prompt.md", "Be very brief.");
  await project.sees("2 trials of gpt");
  project.press("\r");
  await until(() => held.length === 2);
  project.save("other.md", "Be very kind.");
  // Keys were meant for the report before.
  project.press("\r");
  expect(project.interrupt()).toBe(true);
  await project.sees("Summary: 1 passed, 0 failed, 1 errored");
  isHeld = false;
  for (const answer of held.splice(0)) answer();
  await project.sees("2 cases changed");
  project.press("\r");
  await project.sees("Waiting for changes · 2 cases");
  expect(project.interrupt()).toBe(false);
  expect((await project.outcome).code).toBe(0);
});

it("runs nothing but what the filters take", async () => {
  const project = await startProject([test("a"), test("b"), test("broken", { model: "down", prompt: "other.md" })]);
  project.press("t");
  await project.sees("in their ID");
  project.press("/(/\r");
  await project.sees("is not a regular expression");
  await project.sees("Waiting for changes · 3 cases");
  project.press("tb/\u007f\u007fb/t\r");
  await project.sees('1 of 3 cases ["b/t"]');
  project.save("prompt.md", "Be very brief.");
  await project.sees('1 case changed: prompt.md ["b/t"]   2 trials of gpt');
  project.press("\r");
  await project.sees("$0.0024 paid");
  expect(project.requests()).toBe(2);
  project.press("c");
  await project.sees("1 case to run");
  project.press("\u001b");
  await project.sees("Waiting for changes");
  project.press("f");
  await project.sees("1 of 3 cases [only failed]");
  project.save("prompt.md", "Be brief again.");
  project.press("e");
  await project.sees("errored again");
  await project.sees("Waiting for changes");
  expect(project.requests()).toBe(2);
  await project.quit();
});

it("replays what recordings answer, without a question, and asks for the rest", async () => {
  const withTool = (result: number): string =>
    test("a").replace("    tests:", `    tools: [{ name: look, responses: [{ return: ${result} }] }]\n    tests:`);
  const other = test("b", { prompt: "other.md" });
  const project = await startProject([withTool(1), other], [], { isRun: false });
  await project.sees("2 new cases");
  project.press("ta/\r");
  await project.sees('["a/"]');
  project.press("\r");
  await project.sees("Waiting for changes");
  project.press("c");
  await project.sees("1 new case ");
  expect(project.requests()).toBe(2);
  // The model never calls the tool, so it is sent the same as before.
  project.write("kindlm.yaml", config(withTool(2), other));
  await project.sees("a (1 test)");
  await project.sees("Summary: 1 passed, 0 failed, 0 errored, 1 skipped");
  await project.sees("2 replayed");
  await project.sees("1 new case   2 trials of gpt");
  expect(project.requests()).toBe(0);
  project.press("\r");
  await project.sees("2 trials carried over · $0.0024 paid");
  expect(project.requests()).toBe(2);
  await project.quit();
  rmSync(join(project.cwd, ".kindlm", "runs"), { recursive: true });
  const replayed = startWatching(["watch"], { cwd: project.cwd, env });
  await replayed.sees("2 passed");
  await replayed.sees("4 replayed");
  expect((await replayed.quit()).code).toBe(0);
  expect(project.requests()).toBe(0);
});

it("asks for a program that makes up for a missing recording, and for nothing in a strict replay", async () => {
  const own = (question: string, target: string): string => `version: 1
providers: { p: { type: openai, base_url: "${server.url}/v1" } }
models: [{ id: gpt, provider: p, model: gpt-5.4-mini }]
suites: [{ name: s, models: [gpt], tests: [{ name: t, ${target}, input: ${question}, assert: [{ type: contains, value: way }] }] }]
`;
  const program = `${importFetch}const [question] = process.argv.slice(2);
const body = JSON.stringify({ model: "gpt-5.4-mini", messages: [{ role: "user", content: question }] });
const headers = { "content-type": "application/json", authorization: "Bearer " + process.env.OPENAI_API_KEY };
fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", headers, body })
  .then((reply) => reply.ok || console.error("no answer"))
  .then(() => console.log("On its way."));
`;
  const target = 'target: { command: [node, main.mjs, "{{input}}"], proxy: true }';
  const cwd = makeProject({ "kindlm.yaml": own("Where?", target), "main.mjs": program });
  const before = server.requests.length;
  const outcome = await runCli(["test", "--cassette", "auto"], { cwd, env });
  expect(outcome.code).toBe(0);
  expect(server.requests.length - before).toBe(1);
  const project = startWatching(["watch"], { cwd, env });
  await project.sees("Waiting for changes");
  writeFileSync(join(cwd, "kindlm.yaml"), own("When?", target));
  await project.sees("1 case changed: kindlm.yaml   1 trial of gpt");
  await project.quit();
  const runs = join(cwd, ".kindlm", "runs");
  // What is recorded is free, unless other code may have recorded it.
  for (const [code, shown] of [
    ["", "1 replayed"],
    ['watch: ["main.mjs"]\n', "1 new case"],
  ] as const) {
    rmSync(runs, { recursive: true });
    writeFileSync(join(cwd, "kindlm.yaml"), own("Where?", target).replace("suites:", `${code}suites:`));
    const other = startWatching(["watch"], { cwd, env });
    await other.sees(shown);
    await other.quit();
  }
  writeFileSync(join(cwd, "kindlm.yaml"), own("Why?", "runs: 2"));
  const replayed = startWatching(["watch", "--cassette", "replay"], { cwd, env });
  await replayed.sees("Summary: 0 passed, 0 failed, 1 errored");
  await replayed.sees("Waiting for changes");
  await replayed.quit();
  expect(server.requests.length - before).toBe(1);
});

it("runs all again after a question, shows a failure, and saves a baseline", async () => {
  const project = await startProject([test("a", { value: "gone" })]);
  project.press("a");
  await project.sees("1 case again   2 trials of gpt, about $0.0024");
  expect(project.requests()).toBe(0);
  project.press("\r");
  await project.sees("$0.0024 paid");
  expect(project.requests()).toBe(2);
  await project.sees("Waiting for changes");
  project.press("1");
  await project.sees("a/t@gpt");
  project.press("f");
  await project.sees("1 of 1 case [only failed]");
  project.press("f");
  await project.sees("Waiting for changes · 1 case ·");
  project.press("b");
  await project.sees("Save the results of the last round as baselines, including 1 that did not pass?");
  project.press("\r");
  await project.sees("Set 1 baseline");
  project.press("?");
  await project.sees("save the results as baselines");
  await project.quit();
});

it("notices folders that are created later", async () => {
  const project = await startProject([test("a")]);
  project.write("kindlm.yaml", config(test("a", { prompt: "deep/er/prompt.md" })));
  await project.sees("deep/er/prompt.md");
  mkdirSync(join(project.cwd, "deep", "er"), { recursive: true });
  project.write("deep/er/prompt.md", "Be brief.");
  await project.sees("Waiting for changes");
  rmSync(join(project.cwd, "deep"), { recursive: true });
  await project.sees("not found");
  mkdirSync(join(project.cwd, "deep", "er"), { recursive: true });
  project.write("deep/er/prompt.md", "Be different.");
  await project.sees("1 case changed: prompt.md");
  await project.quit();
});

it("spends within the limit on its own with --spend auto, and nothing with never", async () => {
  const [auto, never] = await Promise.all([
    startProject([test("a")], ["--spend", "auto"], { isRun: false, hasKeys: false }),
    startProject([test("a")], ["--spend", "never"], { isRun: false, hasKeys: false }),
  ]);
  await never.sees("--spend never leaves it out");
  await auto.sees("$0.0024 paid");
  expect((await auto.quit()).stdout).toContain("1 passed");
  expect((await never.quit()).stdout).toBe("");
});

it("stops when the tests change what they depend on, also with --spend auto", async () => {
  const own = `version: 1
watch: ["made/*"]
models:
  - id: m
    provider: scripted
    script: { rules: [{ when: { turn: 1 }, reply: { tool_calls: [{ tool: note, args: {} }] } }], otherwise: { text: Done. } }
suites:
  - name: s
    tools: [{ name: note, command: [sh, note.sh] }]
    tests: [{ name: t, input: Hi, assert: [{ type: contains, value: Done }] }]
`;
  const note = "touch made/$$; echo '{}'";
  const cwd = makeProject({ "kindlm.yaml": own, "note.sh": note, "made/0": "" });
  const free = startWatching(["watch"], { cwd });
  await free.sees("The tests themselves seem to change");
  const { stdout } = await free.quit();
  expect(stdout.match(/Summary:/g)?.length).toBeGreaterThanOrEqual(4);

  const program = `version: 1
watch: ["made/*"]
suites: [{ name: s, tests: [{ name: t, target: { command: [sh, note.sh] }, input: Hi, assert: [{ type: contains, value: "{" }] }] }]
`;
  const paid = startWatching(["watch", "--spend", "auto"], {
    cwd: makeProject({ "kindlm.yaml": program, "note.sh": note, "made/0": "" }),
  });
  await paid.sees("Summary: 1 passed");
  await paid.sees("1 case changed");
  expect((await paid.quit()).stdout.match(/Summary:/g)).toHaveLength(1);
});

it.each([
  [["watch"], { CI: "true" }, "--watch waits for changes to files, and CI makes none"],
  [["test", "--watch", "--resume"], {}, "--watch cannot be combined with --resume"],
  [["test", "--watch", "--no-journal"], {}, "--watch cannot be combined with --no-journal"],
  [["test", "--clear"], {}, "--clear needs --watch"],
  [["watch", "none.yaml"], {}, "none.yaml"],
])("refuses %j with %j", async (args, more, message) => {
  const { code, stderr } = await runCli(args, { cwd: makeProject({}), env: more });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) as string });
});
