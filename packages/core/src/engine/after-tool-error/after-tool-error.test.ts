import { describe, expect, it } from "vitest";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeProject } from "../../__fixtures__/make-project.js";
import { scriptedConfig } from "../../__fixtures__/scripted-config.js";
import type { RunEvent } from "../run-event.js";
import type { TrialResult } from "../run-result.js";
import { runTests } from "../../commands/run-tests.js";
import { sharedModules } from "../../__fixtures__/shared-modules.js";
import { createSystemClock, type Clock } from "../../values/clock.js";
import { importFetch } from "../../__fixtures__/light-fetch.js";

/** How long a program has to end by itself. */
const graceMs = 500;
const system = createSystemClock();
/** Does not wait so long. */
const clock: Clock = {
  now: () => system.now(),
  monotonic: () => system.monotonic(),
  sleep: (ms, signal) => system.sleep(ms, signal),
  after: (ms, callback) => system.after(ms === graceMs ? 30 : ms, callback),
};

interface Setup {
  rules?: string;
  otherwise?: string;
  /** Entries of `tools:`, YAML flow. */
  tools?: readonly string[];
  /** Keys of the test beside its name, YAML flow. */
  test: string;
  target?: string;
  files?: Readonly<Record<string, string>>;
}

async function run({ rules = "[]", otherwise = "{ text: done }", tools = [], test, target, files = {} }: Setup) {
  const aimed = target === undefined ? "" : `\n    target: ${target}`;
  const suites = `  - name: s${aimed}\n    tools: [${tools.join(", ")}]\n    tests: [{ name: t, ${test} }]`;
  const cwd = makeProject({ "kindlm.yaml": scriptedConfig({ rules, otherwise, suites }), ...files });
  const events: RunEvent[] = [];
  const environment = { env: { PATH: process.env["PATH"] }, cwd, clock, openModules: sharedModules };
  const ran = await runTests({ paths: [] }, { ...environment, onEvent: (event) => events.push(event) });
  if (!ran.success) throw new Error(JSON.stringify(ran.error));
  const trials: TrialResult[] = [];
  for await (const trial of ran.data.trials()) trials.push(trial);
  const [trial] = trials;
  const [result] = ran.data.suites.flatMap((suite) => suite.tests);
  if (trial === undefined || result === undefined || result.status === "skipped") throw new Error("no trial");
  return { trial, result, events, cwd, summary: ran.data.summary };
}

const calls = (...written: string[]): string =>
  `[{ when: { turn: 1 }, reply: { tool_calls: [${written.map((call) => `{ tool: ${call} }`).join(", ")}] } }]`;
const any = "assert: [{ type: turns, min: 0 }]";
const down = "{ name: down, default: { error: { message: no connection } } }";
const toolsOf = ({ toolCalls }: TrialResult) => toolCalls.map(({ tool, error }) => [tool, error?.errorType ?? "ok"]);

describe("on_tool_error: fail", () => {
  const pay = '{ name: pay, command: [node, -e, "require(`fs`).writeFileSync(`paid`, ``)"] }';
  const fail = `input: go, on_tool_error: fail, ${any}`;

  it("ends the trial before the model is asked again, and fails it with the error", async () => {
    const { trial, events } = await run({ rules: calls("down, args: { a: 1 }"), tools: [down], test: fail });
    expect(trial).toMatchObject({ status: "failed", error: null, attempts: 1 });
    expect(trial.turns).toHaveLength(1);
    const message =
      'The trial ended at the first tool error: down({a: 1}) failed in turn 1 with a runtime error: "no connection"';
    expect(trial.assertions).toMatchObject([
      { type: "on_tool_error", pass: false, score: 0, message },
      { type: "turns", pass: true },
    ]);
    const seen = events.flatMap((event) => (event.type === "assertion" ? [event.result.type] : []));
    expect(seen).toEqual(["on_tool_error", "turns"]);
  });

  it("lets the agent of a test without an error go on", async () => {
    const tools = ["{ name: up, default: { return: 1 } }"];
    const { trial } = await run({ rules: calls("up"), tools, test: fail });
    expect(trial).toMatchObject({ status: "passed", output: "done", assertions: [{ type: "turns" }] });
  });

  it("runs none of the calls that come after the failed one", async () => {
    const tools = [down, "{ name: pay, default: { return: paid, set: { paid: true } } }"];
    const { trial } = await run({ rules: calls("pay", "down", "pay"), tools, test: fail });
    expect(toolsOf(trial)).toEqual([
      ["pay", "ok"],
      ["down", "runtime"],
    ]);
  });

  it("lets those that run beside it come to their end, so that the record is always the same", async () => {
    const free = "attributes: { no_effect: true }";
    const tools = [
      `{ name: down, ${free}, default: { error: { message: no connection } } }`,
      `{ name: slow, ${free}, default: { delay: 30ms, return: 1 } }`,
      "{ name: pay, default: { return: paid } }",
    ];
    const { trial } = await run({ rules: calls("down", "slow", "pay"), tools, test: fail });
    expect(toolsOf(trial)).toEqual([
      ["down", "runtime"],
      ["slow", "ok"],
    ]);
    expect(trial.assertions[0]?.message).toContain("down() failed");
  });

  it("names the one that the model asked for first where several fail side by side", async () => {
    const free = "attributes: { no_effect: true }";
    const tools = [
      `{ name: slow, ${free}, default: { delay: 30ms, error: { message: late } } }`,
      `{ name: down, ${free}, default: { error: { message: no connection } } }`,
    ];
    const { trial } = await run({ rules: calls("slow", "down"), tools, test: fail });
    expect(toolsOf(trial)).toEqual([
      ["slow", "runtime"],
      ["down", "runtime"],
    ]);
    expect(trial.assertions[0]?.message).toContain("slow() failed");
  });

  it.each([
    ["nothing is left to check", "assert: [{ type: turns, min: 0, when: { turns: 7 } }]"],
    ["the threshold is reached all the same", "threshold: 0.1, assert: [{ type: turns, min: 0, weight: 99 }]"],
    ["an assertion cannot be evaluated", "assert: [{ type: command, command: [./no-such-program] }]"],
  ])("fails the trial where %s", async (_, rest) => {
    const { trial } = await run({
      rules: calls("down"),
      tools: [down],
      test: `input: go, on_tool_error: fail, ${rest}`,
    });
    expect(trial).toMatchObject({ status: "failed", assertions: [{ type: "on_tool_error" }, {}] });
  });

  it("counts the error of a fault, names it, and asks for no other fault to fire", async () => {
    const faults = "faults: [{ id: broken, tool: up, kind: error, call: 1 }, { tool: up, kind: error, call: 2 }]";
    const { trial } = await run({
      rules: calls("up"),
      tools: ["{ name: up, default: { return: 1 } }"],
      test: `${fail}, ${faults}`,
    });
    expect(trial.status).toBe("failed");
    expect(trial.assertions[0]?.message).toMatch(/"service unavailable" \(injected by the fault "broken"\)$/);
  });

  it("does not take for a tool error what the end of the trial interrupts, or what the test itself lacks", async () => {
    const late = await run({
      rules: calls("slow"),
      tools: ["{ name: slow, default: { hang: true } }"],
      test: `${fail}, timeouts: { trial: 50ms }`,
    });
    expect(late.trial).toMatchObject({ status: "errored", error: { code: "ENGINE_TIMEOUT" }, assertions: [] });
    const broken = await run({
      rules: calls("odd"),
      tools: ['{ name: odd, default: { return: "{{state.a.b}}" } }'],
      test: `${fail}, state: { a: {} }`,
    });
    expect(broken.trial).toMatchObject({ status: "errored", error: { code: "ENGINE_FIXTURE_ERROR" } });
    const ofProgram = await run({
      target: "{ module: ./agent.mjs#run }",
      files: { "agent.mjs": `export const run = async (input, { tools }) => (await tools.call("odd")).content;` },
      tools: ['{ name: odd, default: { return: "{{state.a.b}}" } }'],
      test: `${fail}, state: { a: {} }`,
    });
    expect(ofProgram.trial).toMatchObject({ status: "errored", error: { code: "ENGINE_FIXTURE_ERROR" } });
  });

  it("ends at the first turn of a conversation that has an error", async () => {
    const test = `on_tool_error: fail, ${any}, conversation: [{ user: a }, { user: b }]`;
    const { trial } = await run({ rules: calls("down"), tools: [down], test });
    expect(trial.messages.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  it("stops a program at once, and neither runs nor records what it asks for until it is gone", async () => {
    const agent = `trap '' TERM
      echo $$ > pid
      while read -r line; do case "$line" in
        *'"type":"user"'*) echo '{"type":"tool_call","id":"1","tool":"down"}';;
        *'"type":"tool_result"'*) while :; do echo '{"type":"tool_call","id":"2","tool":"pay"}'; sleep 0.001; done;;
      esac; done`;
    const { trial, events, cwd } = await run({
      target: "{ command: [sh, agent.sh], protocol: json_lines }",
      files: { "agent.sh": agent },
      tools: [down, pay],
      test: fail,
    });
    expect(trial).toMatchObject({ status: "failed", assertions: [{ type: "on_tool_error" }, { type: "turns" }] });
    expect(toolsOf(trial)).toEqual([["down", "runtime"]]);
    expect(existsSync(join(cwd, "paid"))).toBe(false);
    expect(() => process.kill(Number(readFileSync(join(cwd, "pid"), "utf8")), 0)).toThrow("ESRCH");
    const ends = (type: string) => events.filter((event) => event.type === type).length;
    expect([ends("tool:start"), ends("tool:end"), ends("turn:start"), ends("turn:end")]).toEqual([1, 1, 1, 1]);
  });

  it("serves nothing more to a program that asks over HTTP", async () => {
    const agent = `${importFetch}process.on("SIGTERM", () => {});
      const { KINDLM_TOOLS_URL: url, KINDLM_TOKEN: token } = process.env;
      const call = (tool) => fetch(url + "/" + tool, { method: "POST", headers: { authorization: "Bearer " + token }, body: "{}" });
      await call("down");
      await call("pay");
      setInterval(() => {}, 1_000);`;
    const { trial, cwd } = await run({
      target: "{ command: [node, agent.mjs] }",
      files: { "agent.mjs": agent },
      tools: [down, pay],
      test: fail,
    });
    expect(trial.status).toBe("failed");
    expect(toolsOf(trial)).toEqual([["down", "runtime"]]);
    expect(existsSync(join(cwd, "paid"))).toBe(false);
  });

  it("leaves behind a function that goes on", async () => {
    const agent = `import { writeFileSync } from "node:fs";
    export const run = async (input, { tools }) => {
      await tools.call("down");
      const paid = await tools.call("pay");
      if (paid.ok) writeFileSync(new URL("second", import.meta.url), "");
      for (let index = 0; index < 50; index += 1) await tools.call("pay");
      return "done";
    };`;
    const { trial, cwd } = await run({
      target: "{ module: ./agent.mjs#run }",
      files: { "agent.mjs": agent },
      tools: [down, pay],
      test: fail,
    });
    expect(trial.status).toBe("failed");
    expect(toolsOf(trial)).toEqual([["down", "runtime"]]);
    for (const file of ["second", "paid"]) expect(existsSync(join(cwd, file))).toBe(false);
  });

  it("asks no model for a function that goes on", async () => {
    const agent = `export const run = async (input, { tools, openai }) => {
      await tools.call("down");
      const reply = await fetch(openai.baseURL + "/chat/completions", {
        method: "POST",
        headers: { authorization: "Bearer " + openai.apiKey, "content-type": "application/json" },
        body: JSON.stringify({ model: "m", messages: [{ role: "user", content: input }] }),
      });
      return reply.text();
    };`;
    const { trial } = await run({
      target: "{ module: ./agent.mjs#run, proxy: true }",
      files: { "agent.mjs": agent },
      tools: [down],
      test: fail,
    });
    expect(trial).toMatchObject({ status: "failed", attempts: 0, turns: [] });
  });

  it("counts what a program says went wrong in a tool of its own", async () => {
    const agent = `export const run = () => ({ text: "done", toolCalls: [{ tool: "own", error: "broken" }] });`;
    const files = { "agent.mjs": agent };
    const { trial } = await run({ target: "{ module: ./agent.mjs#run }", files, test: fail });
    expect(trial).toMatchObject({ status: "failed", assertions: [{ type: "on_tool_error" }, {}] });
  });
});

describe("on_tool_error: nudge", () => {
  const flaky = "{ name: flaky, responses: [{ times: 1, error: { message: timed out } }], default: { return: 7 } }";
  const ask = "{ tool_calls: [{ tool: flaky, args: { a: 1 } }] }";
  /** Calls once, gives up, and calls again when it is told to. */
  const rules = `[
    { when: { user: go, turn: 1 }, reply: ${ask} },
    { when: { user: { $contains: again }, turn: 3 }, reply: ${ask} },
    { when: { turn: 2 }, reply: { text: "I give up?" } }]`;
  const nudge = `on_tool_error: { nudge: "Do {{tool}} again: {{error}} ({{error_type}}), {{recommendations}}" }`;

  it("tells the agent to go on, and says so", async () => {
    const { trial, result, events, summary } = await run({
      rules,
      tools: [flaky],
      test: `input: go, ${nudge}, recommendations: [{ recommendations: [wait, "try once"] }], ${any}`,
    });
    const text = "Do flaky again: timed out (runtime), wait; try once";
    expect(trial.status).toBe("passed");
    expect(toolsOf(trial)).toEqual([
      ["flaky", "runtime"],
      ["flaky", "ok"],
    ]);
    expect(trial.messages.filter(({ role }) => role === "user")).toEqual([
      { role: "user", content: "go" },
      { role: "user", content: text, isNudge: true },
    ]);
    const told = { userTurn: 1, text, tool: "flaky", failure: { errorType: "runtime", message: "timed out" } };
    expect(trial.nudges).toMatchObject([told]);
    expect(events.filter(({ type }) => type === "nudge")).toMatchObject([{ ...told, caseId: "s/t@m", trial: 1 }]);
    expect(result.nudges).toEqual({ count: 1, trials: 1 });
    expect(summary.nudges).toBe(1);
  });

  it("is no turn of the user's", async () => {
    const pay = "{ name: pay, default: { return: paid } }";
    const both = rules.replace(
      `turn: 3 }, reply: ${ask}`,
      `turn: 3 }, reply: { tool_calls: [{ tool: flaky }, { tool: pay }] }`,
    );
    const test = `${nudge}, assert: [
      { type: tool_called, tool: flaky, times: 2, user_turn: 1 },
      { type: contains, value: done, user_turn: 1 },
      { type: turns, min: 4, max: 4, user_turn: 1 },
      { type: turns, min: 1, max: 1, user_turn: 2 },
      { type: tool_called, tool: pay },
      { type: asks_before, tool: pay, question: { $contains: give }, not: true }],
      conversation: [{ user: go }, { user: and now }]`;
    const { trial } = await run({ rules: both, tools: [flaky, pay], test });
    expect(trial.assertions.filter(({ pass }) => !pass)).toEqual([]);
    expect(trial.turns.map(({ userTurn }) => userTurn)).toEqual([1, 1, 1, 1, 2]);
    expect(trial.toolCalls.map(({ turn, userTurn }) => [turn, userTurn])).toEqual([
      [1, 1],
      [3, 1],
      [3, 1],
    ]);
  });

  it.each([
    ["max", "", 3],
    ["a max of its own", "max: 1, ", 1],
  ])("stops after %s", async (_, max, count) => {
    const test = `input: go, on_tool_error: { ${max}nudge: true }, ${any}`;
    const { trial } = await run({ rules: calls("down"), tools: [down], test });
    expect(trial.nudges).toHaveLength(count);
    expect(trial.nudges?.[0]?.text).toMatch(/^The last call of down failed\. /);
    expect(trial).toMatchObject({ status: "passed", output: "done" });
  });

  it("counts over the whole trial", async () => {
    const always = `[{ when: { user: a, turn: 1 }, reply: { tool_calls: [{ tool: down }] } },
      { when: { user: b, turn: 7 }, reply: { tool_calls: [{ tool: down }] } }]`;
    const test = `on_tool_error: { nudge: again, max: 4 }, ${any}, conversation: [{ user: a }, { user: b }]`;
    const { trial } = await run({ rules: always, tools: [down], test });
    expect(trial.nudges?.map(({ userTurn }) => userTurn)).toEqual([1, 1, 1, 1]);
    expect(trial.toolCalls).toHaveLength(2);
  });

  it("uses up the turns of its user message, and is not sent when none is left", async () => {
    const test = `input: go, on_tool_error: nudge, limits: { max_turns: 4 }, ${any}`;
    const { trial } = await run({ rules: calls("down"), tools: [down], test });
    expect(trial).toMatchObject({ status: "passed", attempts: 4 });
    expect(trial.nudges).toHaveLength(2);
    const busy = `[{ when: { user: go, turn: 1 }, reply: { tool_calls: [{ tool: down }] } }, { when: { turn: 2 }, reply: { text: no } }]`;
    const over = await run({ rules: busy, otherwise: "{ tool_calls: [{ tool: down }] }", tools: [down], test });
    expect(over.trial).toMatchObject({ status: "errored", error: { code: "ENGINE_MAX_TURNS" }, attempts: 4 });
  });

  it.each([
    ["an error that cannot pass", "{ name: x, default: { error: { message: no, retryable: false } } }", calls("x")],
    ["wrong arguments", "{ name: x, parameters: { type: object, required: [a] } }", calls("x")],
    [
      "an error that was overcome",
      "{ name: x, responses: [{ call: 1, error: { message: no } }], default: { return: 1 } }",
      "[{ when: { turn: { $lte: 2 } }, reply: { tool_calls: [{ tool: x }] } }]",
    ],
    ["no error", "{ name: x, default: { return: 1 } }", calls("x")],
  ])("is not sent after %s", async (_, tool, written) => {
    const { trial, result, summary } = await run({
      rules: written,
      tools: [tool],
      test: `input: go, on_tool_error: nudge, ${any}`,
    });
    expect(trial.output).toBe("done");
    for (const one of [trial, result, summary]) expect(one).not.toHaveProperty("nudges");
  });

  it("does not take a success of the same turn for one that came after", async () => {
    const tool = "{ name: x, responses: [{ when: { a: 1 }, error: { message: no } }], default: { return: 1 } }";
    const { trial } = await run({
      rules: calls("x, args: { a: 1 }", "x, args: { a: 2 }"),
      tools: [tool],
      test: `input: go, on_tool_error: { nudge: true, max: 1 }, ${any}`,
    });
    expect(trial.nudges).toHaveLength(1);
  });

  it("reaches a program as its next message", async () => {
    const agent = `${importFetch}let text = ""; for await (const part of process.stdin) text += part;
      const { KINDLM_TOOLS_URL: url, KINDLM_TOKEN: token, KINDLM_TURN: turn } = process.env;
      const r = await fetch(url + "/flaky", { method: "POST", headers: { authorization: "Bearer " + token }, body: "{}" });
      console.log([turn, text, r.status].join("|"));`;
    const { trial } = await run({
      target: "{ command: [node, agent.mjs] }",
      files: { "agent.mjs": agent },
      tools: [flaky],
      test: `on_tool_error: { nudge: Again! }, ${any}, conversation: [{ user: go }, { user: thanks }]`,
    });
    const answers = trial.messages.flatMap((message) => (message.role === "assistant" ? [message.text] : []));
    expect(answers).toEqual(["1|go|500", "2|Again!|200", "3|thanks|200"]);
    expect(trial.turns.map(({ turn, userTurn }) => [turn, userTurn])).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
    ]);
    expect(trial.toolCalls.map(({ userTurn }) => userTurn)).toEqual([1, 1, 2]);
    expect(trial.nudges).toHaveLength(1);
  });

  it("begins to count again with a program that is started again because its answer was rejected", async () => {
    const agent = `${importFetch}let text = ""; for await (const part of process.stdin) text += part;
      const { KINDLM_TOOLS_URL: url, KINDLM_TOKEN: token, KINDLM_TURN: turn } = process.env;
      await fetch(url + "/flaky", { method: "POST", headers: { authorization: "Bearer " + token }, body: "{}" });
      console.log(turn);`;
    const { trial } = await run({
      target: "{ command: [node, agent.mjs] }",
      files: { "agent.mjs": agent },
      tools: [flaky],
      test: `input: go, on_tool_error: { nudge: Again! }, ${any}, retry_until: { assert: [{ type: equals, value: "1" }], max_tries: 2 }`,
    });
    expect(trial).toMatchObject({ status: "passed", output: "1", tries: { count: 2 } });
    expect(trial.tries?.rejected.map(({ output }) => output)).toEqual(["2"]);
  });

  it("reaches a function without a mark", async () => {
    const agent = `export const run = async (input, { tools, message, history, userTurn }) => {
      await tools.call("flaky");
      return JSON.stringify([userTurn, message, history]);
    };`;
    const { trial } = await run({
      target: "{ module: ./agent.mjs#run }",
      files: { "agent.mjs": agent },
      tools: [flaky],
      test: `on_tool_error: { nudge: Again! }, ${any}, conversation: [{ user: go }, { user: thanks }]`,
    });
    const users = (JSON.parse(trial.output) as [number, object, { role: string }[]])[2].filter(
      ({ role }) => role === "user",
    );
    expect(users).toEqual([
      { role: "user", content: "go" },
      { role: "user", content: "Again!" },
    ]);
  });
});
