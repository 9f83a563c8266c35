import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { afterFile } from "../__fixtures__/clean-up.js";
import { makeProject } from "../__fixtures__/make-project.js";
import { sendJson, startServer } from "../__fixtures__/start-server.js";
import type { RunEvent } from "../engine/run-event.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import { runTests } from "./run-tests.js";
import { openWatch, type Outlook, type RoundRequest, type WatchWish } from "./watch-tests.js";

const answer = (content: string) => ({
  id: "c",
  object: "chat.completion",
  model: "gpt-5.4-mini",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 },
});

const server = await startServer((request, response) => {
  if (request.path.startsWith("/broken")) return sendJson(response, 500, { error: { message: "overloaded" } });
  sendJson(response, 200, answer("Your order is on its way."));
});
afterFile(() => server.close());

/** A trial costs $0.0012: 1,000 tokens in at $0.75, and 100 out at $4.50 per million. */
const trialUsd = 0.0012;

const configWith = (tests: string, more = ""): string => `version: 1
providers: { p: { type: openai, base_url: "${server.url}/v1" }, broken: { type: openai, base_url: "${server.url}/broken" } }
retry: disabled
models:
  - { id: gpt, provider: p, model: gpt-5.4-mini }
  - { id: down, provider: broken, model: gpt-5.4-mini }
  - { id: own, provider: scripted, script: { otherwise: { text: Fine. } } }
${more}
suites:
  - name: s
    system_prompt_file: prompt.md
    models: [gpt]
    tests:
${tests}
`;
const paid = "      - { name: paid, input: Where?, runs: 2, assert: [{ type: contains, value: order }] }";
const free = "      - { name: free, models: [own], input: Where?, assert: [{ type: contains, value: Fine }] }";

function openProject(tests = `${paid}\n${free}`, options: Partial<RunTestsOptions> = {}, more = "") {
  const cwd = makeProject({ "kindlm.yaml": configWith(tests, more), "prompt.md": "Be brief." });
  const environment = { cwd, env: { OPENAI_API_KEY: "k" } };
  const watch = openWatch({ paths: [], ...options });
  const look = async (wish: WatchWish = {}): Promise<Outlook> => {
    const looked = await watch.look(wish, environment);
    if (!looked.success) throw new Error(looked.error.message);
    return looked.data;
  };
  return {
    cwd,
    watch,
    look,
    edit: (file: string, text: string) => writeFileSync(join(cwd, file), text),
    async run(outlook: Outlook, request: RoundRequest) {
      const events: RunEvent[] = [];
      const before = server.requests.length;
      const ran = await outlook.run(request, { ...environment, onEvent: (event) => events.push(event) });
      if (!ran.success) throw new Error(ran.error.message);
      const cases = ran.data.suites.flatMap((suite) => suite.tests);
      return {
        result: ran.data,
        requests: server.requests.length - before,
        statuses: Object.fromEntries(cases.map(({ id, status }) => [id, status])),
        carried: events.filter(({ type }) => type === "trial:carried").length,
        ended: events.filter(({ type }) => type === "trial:end").length,
      };
    },
    test: (given: Partial<RunTestsOptions> = {}) => runTests({ paths: [], ...given }, environment),
  };
}

it("runs what is free, waits with what is paid, and carries both over when nothing has changed", async () => {
  const project = openProject();
  const first = await project.look();
  expect(first).toMatchObject({
    free: { cases: 1, trials: 1 },
    waiting: { cases: 1, newCases: 1, trials: 2, agents: ["gpt"], unknown: 1 },
    isDue: true,
  });
  const round = await project.run(first, { mayPay: false });
  expect(round).toMatchObject({ requests: 0, statuses: { "s/paid@gpt": "skipped", "s/free@own": "passed" } });

  const paying = await project.run(await project.look(), { mayPay: true });
  expect(paying).toMatchObject({ requests: 2, carried: 1, ended: 2, statuses: { "s/paid@gpt": "passed" } });
  expect(paying.result.run.carried).toEqual({ trials: 1, evaluated: 0, replayed: 0, paidUsd: 2 * trialUsd });

  const last = await project.look();
  expect(last).toMatchObject({ kept: 3, isDue: false, free: { cases: 0 }, waiting: { cases: 0 } });
  const again = await project.run(last, { mayPay: true });
  expect(again).toMatchObject({ requests: 0, carried: 3, ended: 0 });
  expect(again.result.summary).toMatchObject({ passed: 2, costUsd: 2 * trialUsd });
  expect(again.result.run.carried).toEqual({ trials: 3, evaluated: 0, replayed: 0, paidUsd: 0 });
});

it("reads the config again unless it is told that nothing has changed", async () => {
  const project = openProject(free);
  expect(await project.look({ isUnchanged: true })).toMatchObject({ cases: 1 });
  const places = [...project.watch.places().keys()];
  project.edit("kindlm.yaml", configWith(`${paid}\n${free}`));
  expect(await project.look({ isUnchanged: true })).toMatchObject({ cases: 1 });
  expect([...project.watch.places().keys()]).toEqual(expect.arrayContaining(places));
  expect(await project.look()).toMatchObject({ cases: 2 });
  project.edit("kindlm.yaml", "version: 2");
  await expect(project.look()).rejects.toThrow('"suites" is missing');
  project.edit("kindlm.yaml", configWith(free));
  expect(await project.look({ isUnchanged: true })).toMatchObject({ cases: 1 });
});

it("takes over what kindlm test found, and estimates a change by what the same cases cost", async () => {
  const project = openProject();
  await project.test();
  expect(await project.look()).toMatchObject({ kept: 3, isDue: true, waiting: { cases: 0 } });
  project.edit("prompt.md", "Be long.");
  const changed = await project.look();
  expect(changed.waiting).toMatchObject({ cases: 1, newCases: 0, trials: 2, unknown: 0 });
  expect(changed.waiting.costUsd).toBeCloseTo(2 * trialUsd);
  // A change that is taken back has cost nothing.
  project.edit("prompt.md", "Be brief.");
  expect(await project.look()).toMatchObject({ kept: 3, waiting: { cases: 0 } });
});

it("evaluates changed assertions on the kept conversations, without a request", async () => {
  const project = openProject();
  await project.test();
  await project.run(await project.look(), { mayPay: false });
  project.edit("kindlm.yaml", configWith(`${paid.replace("value: order", "value: lost")}\n${free}`));
  const changed = await project.look();
  expect(changed).toMatchObject({ free: { cases: 1, trials: 0, judged: 2 }, waiting: { cases: 0 } });
  const round = await project.run(changed, { mayPay: false });
  expect(round).toMatchObject({ requests: 0, statuses: { "s/paid@gpt": "failed", "s/free@own": "passed" } });
  expect(await project.look()).toMatchObject({ isDue: false, kept: 3 });
});

it("notices what changes a verdict and no trial", async () => {
  const project = openProject();
  await project.test();
  await project.run(await project.look(), { mayPay: false });
  expect((await project.look()).isDue).toBe(false);
  project.edit("kindlm.yaml", configWith(`${paid}\n${free}`, "gates: { errored: 0 }"));
  const changed = await project.look();
  expect(changed).toMatchObject({ isDue: true, free: { cases: 0 } });
  const round = await project.run(changed, { mayPay: false });
  expect(round.result.gates).toMatchObject([{ name: "errored", pass: true }]);
  project.edit("kindlm.yaml", configWith(paid));
  expect(await project.look()).toMatchObject({ isDue: true, cases: 1 });
});

it("runs one trial of each, and the others after that", async () => {
  const project = openProject(paid);
  const one = await project.run(await project.look(), { mayPay: true, trialsEach: 1 });
  expect(one.requests).toBe(1);
  expect(one.result.suites[0]?.tests).toMatchObject([{ status: "passed", runs: 1, required: 1 }]);
  const rest = await project.look();
  expect(rest.waiting).toMatchObject({ cases: 1, trials: 1 });
  const both = await project.run(rest, { mayPay: true });
  expect(both).toMatchObject({ requests: 1, carried: 1 });
  expect(both.result.suites[0]?.tests).toMatchObject([{ runs: 2, passes: 2 }]);
});

it("leaves a case errored until it is wanted again", async () => {
  const down = "      - { name: down, models: [down], input: Where?, assert: [{ type: contains, value: order }] }";
  const project = openProject(down);
  await project.test();
  const before = server.requests.length;
  const outlook = await project.look();
  expect(outlook).toMatchObject({ errored: 1, waiting: { cases: 0 }, kept: 1 });
  const round = await project.run(outlook, { mayPay: true });
  expect(round).toMatchObject({ requests: 0, statuses: { "s/down@down": "errored" } });
  expect((await project.look({ again: "errored" })).waiting).toMatchObject({ cases: 1, trials: 1 });
  expect(server.requests.length).toBe(before);
});

it("runs nothing that a filter excludes, and keeps its results", async () => {
  const other = paid.replace("name: paid", "name: other");
  const project = openProject(`${paid}\n${other}`);
  await project.test();
  project.edit("prompt.md", "Be long.");
  const filtered = await project.look({ filters: { tests: ["other"] } });
  expect(filtered).toMatchObject({ taken: 1, cases: 2, waiting: { cases: 1, trials: 2 } });
  const round = await project.run(filtered, { mayPay: true });
  expect(round).toMatchObject({ requests: 2, statuses: { "s/paid@gpt": "skipped", "s/other@gpt": "passed" } });
  const whole = await project.look({ again: "all", filters: { tests: ["other"] } });
  expect(whole.waiting).toMatchObject({ cases: 1, trials: 2 });
});

it("stops at the limit of the session", async () => {
  const project = openProject(paid.replace("runs: 2", "runs: 6"), { concurrency: 1 });
  const round = await project.run(await project.look(), { mayPay: true, limitUsd: 2.5 * trialUsd });
  expect(round.requests).toBe(3);
  expect((await project.look()).waiting).toMatchObject({ trials: 3 });
});

it("counts a trial that the limit cut off as missing", async () => {
  const talk = paid.replace("input: Where?, runs: 2", "conversation: [{ user: Where? }, { user: When? }]");
  const project = openProject(talk);
  const cut = await project.run(await project.look(), { mayPay: true, limitUsd: trialUsd / 2 });
  expect(cut).toMatchObject({ requests: 1, statuses: { "s/paid@gpt": "errored" } });
  expect(await project.look()).toMatchObject({ errored: 0, waiting: { trials: 1 } });
});

it("runs a program again when the code changes that watch selects, and not when it is only touched", async () => {
  const tests =
    "      - { name: program, target: { command: [node, main.js] }, input: Hi, assert: [{ type: contains, value: A }] }";
  const config = `version: 1\nwatch: ["src/**/*.js"]\nsuites:\n  - name: s\n    tests:\n${tests}\n`;
  // What is put together from parts, nobody finds who looks for imports.
  const main = 'console.log(require("./src/" + "answer.js").answer);';
  const cwd = makeProject({ "kindlm.yaml": config, "main.js": main, "src/answer.js": 'exports.answer = "A";' });
  const environment = { cwd, env: { PATH: process.env["PATH"] } };
  const watch = openWatch({ paths: [] });
  const look = () => watch.look({}, environment);
  expect((await runTests({ paths: [] }, environment)).success).toBe(true);
  expect(await look()).toMatchObject({ data: { kept: 1, waiting: { cases: 0 } } });
  writeFileSync(join(cwd, "src", "answer.js"), 'exports.answer = "A";');
  expect(await look()).toMatchObject({ data: { kept: 1, waiting: { cases: 0 } } });
  writeFileSync(join(cwd, "src", "answer.js"), 'exports.answer = "B";');
  // Nobody knows what a program calls, so it waits too.
  expect(await look()).toMatchObject({ data: { kept: 0, waiting: { cases: 1, newCases: 0 } } });
  expect(watch.places().get(join(cwd, "src"))).toBe("below");
  expect(watch.places().get(join(cwd, "main.js"))).toBe("file");
});

it("names the places that a broken config depends on", async () => {
  const project = openProject();
  project.edit("kindlm.yaml", configWith(free).replace("prompt.md", "none.md"));
  await expect(project.look()).rejects.toThrow("none.md");
  expect([...project.watch.places().keys()]).toEqual(
    expect.arrayContaining([".env", "kindlm.yaml", "none.md"].map((name) => join(project.cwd, name))),
  );
});

it("keeps the last rounds of a session, and the runs before it", async () => {
  const project = openProject(free);
  await project.test();
  for (let round = 0; round < 12; round += 1) await project.run(await project.look({ again: "all" }), { mayPay: true });
  const runs = readdirSync(join(project.cwd, ".kindlm", "runs")).filter((name) => !name.startsWith("."));
  expect(runs).toHaveLength(11);
});
