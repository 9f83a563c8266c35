import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { draws } from "../__fixtures__/draws.js";
import { makeProject } from "../__fixtures__/make-project.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import { runTests } from "../commands/run-tests.js";
import type { RunEvent } from "./run-event.js";
import type { TrialResult } from "./run-result.js";

/** A test whose conversation can be scored in several ways. `keys` are those of the test beside its assertions. */
interface Scene {
  keys: string;
  rules?: string;
  otherwise?: string;
}

const scenes = {
  plain: { keys: "input: hi" },
  tools: {
    keys: "input: order",
    rules: `{ when: { turn: 1 }, reply: { tool_calls: [{ tool: look, args: { id: 7 } }, { tool: broken, args: {} }] } }`,
  },
  turns: { keys: "conversation: [{ user: hi, assert: [<first>] }, { user: again }]" },
  retried: {
    keys: "input: hi, retry_until: { assert: [{ type: contains, value: hello again }], feedback: again, max_tries: 2 }",
    rules: `{ when: { user: { $contains: again } }, reply: { text: hello again } }`,
  },
  givenUp: {
    keys: "input: hi, retry_until: { assert: [{ type: contains, value: never }], feedback: again, max_tries: 2 }",
  },
  endedByError: {
    keys: "input: order, on_tool_error: fail",
    rules: `{ when: { turn: 1 }, reply: { tool_calls: [{ tool: broken, args: {} }] } }`,
  },
  approvedThenEnded: {
    keys: "on_tool_error: fail, conversation: [{ user: hi, retry_until: { assert: [{ type: contains, value: hello }] } }, { user: order }]",
    rules: `{ when: { user: order }, reply: { tool_calls: [{ tool: broken, args: {} }] } }`,
  },
  ofEmptyAnswers: { keys: "input: hi", otherwise: `{ text: "" }` },
} satisfies Record<string, Scene>;

const config = (
  { keys, rules = "", otherwise = `{ text: "hello" }` }: Scene,
  assertions: string,
  more = "",
): string => `version: 1
models: [{ id: m, provider: scripted, pricing: { input: 1, output: 10 }, script: { rules: [${rules}], otherwise: ${otherwise} } }]
suites:
  - name: s
    tools:
      - { name: look, default: { return: { state: delivered } } }
      - { name: broken, default: { error: { type: runtime, message: it broke } } }
    tests: [{ name: t, ${keys.replace("<first>", assertions)}, ${more}assert: [${assertions}] }]
`;

interface Found {
  trials: TrialResult[];
  events: RunEvent[];
  outcome: unknown;
}

async function run(cwd: string, options: Partial<RunTestsOptions> = {}): Promise<Found> {
  const events: RunEvent[] = [];
  const ran = await runTests({ paths: [], ...options }, { env: {}, cwd, onEvent: (event) => events.push(event) });
  if (!ran.success) throw new Error(ran.error.message);
  const trials: TrialResult[] = [];
  for await (const trial of ran.data.trials()) trials.push(trial);
  const { passed, failed, errored, requests, costUsd } = ran.data.summary;
  return { trials, events, outcome: { passed, failed, errored, requests, costUsd } };
}

/** Without what differs from run to run. */
function comparable(trials: readonly TrialResult[]): unknown {
  const volatile = new Set(["durationMs", "latencyMs", "startedAt", "runId", "cause", "at"]);
  return JSON.parse(JSON.stringify(trials, (key, value: unknown) => (volatile.has(key) ? undefined : value)));
}

const passes = "{ type: contains, value: hello }";
const fails = "{ type: contains, value: goodbye }";
const sensitive = "{ type: not_contains, value: hello }";

describe("a trial that is scored again", () => {
  const names = Object.keys(scenes) as (keyof typeof scenes)[];
  const changes = [
    { from: passes, to: fails },
    { from: fails, to: passes },
    { from: passes, to: `${passes}, ${fails}, ${sensitive}` },
    { from: `${passes}, ${fails}`, to: `${passes}, ${fails}`, more: "threshold: 0.5, " },
    { from: passes, to: "{ type: tool_called, tool: look, args: { id: 7 } }, { type: tool_not_called, tool: broken }" },
  ];
  /** `pnpm test` takes each second: every scene with two or three changes, every change with half of the scenes. */
  const step = draws({ brief: 2, full: 1 });
  const rows = names.flatMap((scene) => changes.map((change) => ({ scene, ...change })));
  it.each(rows.filter((_row, index) => index % step === 0))(
    "is what a new run finds ($scene, $from → $to)",
    async ({ scene, from, to, more = "" }) => {
      const cwd = makeProject({ "kindlm.yaml": config(scenes[scene], from) });
      const first = await run(cwd);
      writeFileSync(join(cwd, "kindlm.yaml"), config(scenes[scene], to, more));
      const rescored = await run(cwd, { resume: "last" });
      const anew = await run(cwd, { root: join(cwd, "elsewhere") });
      expect(comparable(rescored.trials)).toEqual(comparable(anew.trials));
      expect(rescored.outcome).toEqual(anew.outcome);
      expect(rescored.events.filter(({ type }) => type.startsWith("attempt"))).toEqual([]);
      expect(first.events.some(({ type }) => type.startsWith("attempt"))).toBe(true);
    },
  );

  it("is errored, as a new one is, if it fails and was continued with the answers of calls made before", async () => {
    const cwd = makeProject({ "kindlm.yaml": config(scenes.tools, passes) });
    await run(cwd);
    const runs = join(cwd, ".kindlm", "runs");
    const journal = join(runs, readdirSync(runs).at(-1) ?? "", "journal.jsonl");
    const marked = readFileSync(journal, "utf8").replace('"tool":"look","args"', '"resumed":"answered_before",$&');
    writeFileSync(journal, marked);
    writeFileSync(join(cwd, "kindlm.yaml"), config(scenes.tools, fails));
    const { trials } = await run(cwd, { resume: "last" });
    expect(trials).toMatchObject([
      { status: "errored", error: { code: "ENGINE_ABORTED", details: { resumedCalls: 1 } } },
    ]);
  });

  it("reports its start, each assertion, and its end", async () => {
    const cwd = makeProject({ "kindlm.yaml": config(scenes.plain, passes) });
    await run(cwd);
    writeFileSync(join(cwd, "kindlm.yaml"), config(scenes.plain, `${passes}, ${fails}`));
    const { events } = await run(cwd, { resume: "last" });
    expect(events.map(({ type }) => type).filter((type) => /^(trial|assertion|turn)/.test(type))).toEqual([
      "trial:start",
      "assertion",
      "assertion",
      "trial:end",
    ]);
  });

  it("is errored where an assertion cannot be evaluated, and names the trial", async () => {
    const cwd = makeProject({
      "kindlm.yaml": config(scenes.plain, passes),
      "check.mjs": "export const check = () => { throw new Error('oops'); };",
    });
    await run(cwd);
    writeFileSync(join(cwd, "kindlm.yaml"), config(scenes.plain, '{ type: module, module: "./check.mjs#check" }'));
    const { trials } = await run(cwd, { resume: "last" });
    expect(trials).toMatchObject([
      {
        status: "errored",
        output: "hello",
        error: { code: "ASSERTION_EVAL_ERROR", origin: { caseId: "s/t@m", trial: 1 } },
      },
    ]);
  });
});
