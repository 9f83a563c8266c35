import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { sendJson, startServer } from "../packages/core/src/__fixtures__/start-server.js";
import { mcpFakeServer } from "./support/mcp-fake-server.js";
import { reportErrors } from "./support/report-errors.js";
import { runCli } from "./support/run-cli.js";

/** The tool `task_run` of the KODE SDK, by the sections of its page on tools. */
interface Call {
  tool: string;
  args: Readonly<Record<string, unknown>>;
}

interface ReportedCall {
  tool: string;
  result: unknown;
  error: { errorType: string; message: string } | null;
  delegation?: {
    template: string;
    model: string;
    status: string;
    turns: unknown[];
    costUsd: number | null;
    usage: { inputTokens: number; outputTokens: number };
    messages?: { role: string; content?: string; text?: string }[];
    toolCalls: ReportedCall[];
    error?: { code: string };
  };
}

interface ReportedTrial {
  status: string;
  error: { code: string; message: string } | null;
  costUsd: number | null;
  attempts: number;
  usage: { inputTokens: number; outputTokens: number };
  turns: { costUsd: number }[];
  paused?: { permissionIds: string[] };
  toolCalls: ReportedCall[];
  assertions: { type: string; pass: boolean; message: string }[];
}

/** What each agent calls, one answer after the other; it says its name in the end. */
type Scripts = Readonly<Record<string, readonly (Call | readonly Call[])[]>>;

function scriptOf(scripts: Scripts): unknown {
  const rules = Object.entries(scripts).flatMap(([agent, calls]) => {
    const system = { $contains: `You are ${agent}.` };
    return [
      ...calls.map((call, index) => ({ when: { system, turn: index + 1 }, reply: { tool_calls: [call].flat() } })),
      { when: { system }, reply: { text: `Answer of ${agent}` } },
    ];
  });
  return { rules, otherwise: { text: "Who am I?" } };
}

const template = (id: string, more: object = {}): object => ({ id, system: `You are ${id}.`, ...more });

const task = (agentTemplateId: string, more: object = {}): Call => ({
  tool: "task_run",
  args: { description: "Research pricing", prompt: "Compare prices", agentTemplateId, ...more },
});

const search = { name: "search", parameters: { q: "string" }, default: { return: { prices: [1, 2] } } };
const find = (q: string): Call => ({ tool: "search", args: { q } });

interface Setup {
  scripts: Scripts;
  agents: readonly object[];
  assert?: readonly unknown[];
  suite?: object;
  config?: object;
}

function configOf({ scripts, agents, assert = [{ type: "contains", value: "Answer of boss" }], suite, config }: Setup) {
  return {
    version: 1,
    models: [{ id: "m", provider: "scripted", pricing: { input: 1, output: 2 }, script: scriptOf(scripts) }],
    ...config,
    suites: [
      {
        name: "s",
        system_prompt: "You are boss.",
        tools: ["task_run"],
        agents,
        ...suite,
        tests: [{ name: "t", input: "Write a report", assert }],
      },
    ],
  };
}

async function run(setup: Setup, args: readonly string[] = []): Promise<{ trial: ReportedTrial; cwd: string }> {
  const cwd = makeProject({ "kindlm.yaml": JSON.stringify(configOf(setup)) });
  return { trial: await trialIn(cwd, args), cwd };
}

async function trialIn(cwd: string, args: readonly string[]): Promise<ReportedTrial> {
  const ran = await runCli(["test", "--reporter", "json", "--verbose", ...args], { cwd, openModules: sharedModules });
  const report: unknown = JSON.parse(ran.stdout || "null");
  expect(reportErrors(report), ran.stderr).toEqual([]);
  const { suites } = report as { suites: { tests: { trials: ReportedTrial[] }[] }[] };
  const [trial] = suites[0]?.tests[0]?.trials ?? [];
  if (trial === undefined) throw new Error(`There is no trial: ${ran.stderr}`);
  return trial;
}

/** The events of a type, as `--events log.jsonl` has them. */
function eventsIn(cwd: string, type: string): readonly Record<string, unknown>[] {
  const lines = readFileSync(join(cwd, "log.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((event) => event["type"] === type);
}

const outcomes = ({ toolCalls }: Pick<ReportedTrial, "toolCalls">): unknown[] =>
  toolCalls.map(({ result, error }) => result ?? error?.message);

describe("task_run: Delegate complex work to a sub-Agent", () => {
  it("returns { status, template, text }, and keeps the whole conversation, which counts in the trial", async () => {
    const { trial, cwd } = await run({
      scripts: { boss: [task("researcher", { context: "North America" })], researcher: [find("prices")] },
      agents: [template("researcher", { tools: [search] })],
    });
    const [call] = trial.toolCalls;
    expect(call?.result).toEqual({ status: "ok", template: "researcher", text: "Answer of researcher" });
    const { messages, turns, toolCalls, costUsd, usage, ...delegation } = call?.delegation ?? { toolCalls: [] };
    expect(delegation).toEqual({ template: "researcher", model: "m", status: "ok" });
    expect(messages?.map(({ role, content, text }) => [role, content ?? text])).toEqual([
      ["user", "# Task: Research pricing\n\nCompare prices\n\n# Additional context\n\nNorth America"],
      ["assistant", ""],
      ["tool", '{"prices":[1,2]}'],
      ["assistant", "Answer of researcher"],
    ]);
    expect(toolCalls).toMatchObject([{ tool: "search", result: { prices: [1, 2] } }]);
    expect([turns?.length, trial.turns.length, trial.attempts]).toEqual([2, 2, 4]);
    const own = trial.turns.reduce((sum, turn) => sum + turn.costUsd, 0);
    expect(costUsd).toBeGreaterThan(0);
    expect(trial.costUsd).toBeCloseTo(own + (costUsd ?? 0), 12);
    expect(trial.usage.outputTokens).toBeGreaterThan(usage?.outputTokens ?? 0);
    const listed = await runCli(["runs", "--json"], { cwd });
    expect(listed.stdout).toContain(`"costUsd": ${trial.costUsd}`);
    for (const columns of [40, 60, 61, 80, 120]) {
      const shown = await runCli(["show", "s/t@m"], { cwd, env: { COLUMNS: String(columns) } });
      expect(shown.stdout).toContain("│ kindlm  sub-agent researcher on m");
      expect(shown.stdout).toContain('│ agent   search  q "prices"');
      expect(shown.stdout.split("\n").filter((line) => line.length >= columns)).toEqual([]);
    }
  });

  it("Common Errors: Agent template 'xxx' not found; limits of depth and of templates stop the delegation", async () => {
    const { trial } = await run({
      scripts: {
        boss: [task("xxx"), task("writer"), task("researcher")],
        researcher: [task("secretary"), task("researcher")],
        writer: [task("researcher")],
      },
      agents: [
        template("researcher", { tools: ["task_run"], subagents: { templates: ["researcher", "writer"] } }),
        template("writer", { tools: ["task_run"], subagents: { depth: 0 } }),
        template("secretary"),
      ],
      suite: { subagents: { depth: 2, templates: ["researcher", "writer"] } },
    });
    expect(outcomes(trial).slice(0, 2)).toEqual([
      "Agent template 'xxx' not found. Templates: researcher, writer",
      { status: "ok", template: "writer", text: "Answer of writer" },
    ]);
    const [, ofWriter, ofResearcher] = trial.toolCalls.map(({ delegation }) =>
      outcomes(delegation ?? { toolCalls: [] }),
    );
    expect(ofWriter).toEqual(["Sub-agent recursion limit reached. Do the task yourself"]);
    expect(ofResearcher).toEqual([
      "Agent template 'secretary' is not allowed for this agent. Templates: researcher, writer",
      { status: "ok", template: "researcher", text: "Answer of researcher" },
    ]);
    const second = trial.toolCalls[2]?.delegation?.toolCalls[1]?.delegation;
    expect(outcomes(second ?? { toolCalls: [] })[1]).toBe("Sub-agent recursion limit reached. Do the task yourself");
  });

  it("Minimal Example: the templates and the arguments as they are written there", async () => {
    const args = {
      description: "Research pricing",
      prompt: "Analyze 3 competitors and provide a price table plus recommended range.",
      agentTemplateId: "researcher",
      context: "Target market: North America SMB",
      model: { provider: "openai", model: "gpt-4.1-mini" },
    };
    interface Body {
      model: string;
      messages: { role: string; content: string }[];
      tools?: { function: { name: string; description: string } }[];
    }
    const server = await startServer(({ json, number }, response) => {
      const { model } = json as Body;
      const text = model === "gpt-4.1-mini" ? "10 to 15 US dollars" : "Answer of boss";
      sendJson(
        response,
        200,
        chatCompletion(number === 1 ? { toolCalls: [{ id: "c", tool: "task_run", args }] } : { text }),
      );
    });
    onTestFinished(() => server.close());
    const { trial } = await run({
      scripts: {},
      agents: [
        { id: "researcher", system: "Research and return structured findings.", when_to_use: "Need search + analysis" },
        { id: "writer", system: "Turn findings into publishable copy.", when_to_use: "Need final draft" },
      ],
      config: {
        providers: { openai: { type: "openai", base_url: server.url, api: "chat" } },
        models: [{ id: "m", provider: "openai", model: "gpt-4.1", stream: false }],
        stream: false,
      },
    });
    expect(outcomes(trial)).toEqual([{ status: "ok", template: "researcher", text: "10 to 15 US dollars" }]);
    const [asked, delegated] = server.requests.map(({ json }) => json as Body);
    expect(asked?.tools?.[0]?.function.description).toContain(
      "Templates:\n- researcher: Need search + analysis\n- writer: Need final draft",
    );
    expect(delegated).toMatchObject({
      model: "gpt-4.1-mini",
      messages: [
        { role: "system", content: "Research and return structured findings." },
        {
          role: "user",
          content: `# Task: ${args.description}\n\n${args.prompt}\n\n# Additional context\n\n${args.context}`,
        },
      ],
    });
  });

  it("delegateTask Model Behavior: the parent's model, another one of its provider, or an explicit provider and model", async () => {
    const models = [
      "",
      "gpt-other",
      { provider: "scripted", model: "helper" },
      "helper",
      "second:x",
      { provider: "nobody", model: "x" },
    ];
    const server = await startServer(({ json, number }, response) => {
      const { messages } = json as { messages: { content: string }[] };
      if (messages[0]?.content === "You are researcher.")
        return sendJson(response, 200, chatCompletion({ text: "ok" }));
      if (number > 1 && messages.length > 2) return sendJson(response, 200, chatCompletion({ text: "Answer of boss" }));
      const calls = models.map((model, index) => ({
        id: `c${index}`,
        tool: "task_run",
        args: task("researcher", model === "" ? {} : { model }).args,
      }));
      return sendJson(response, 200, chatCompletion({ toolCalls: calls }));
    });
    onTestFinished(() => server.close());
    const { trial } = await run({
      scripts: {},
      agents: [template("researcher"), template("writer", { model: "helper" })],
      config: {
        providers: {
          local: { type: "openai", base_url: server.url },
          second: { type: "openai", base_url: server.url },
        },
        models: [
          { id: "m", provider: "local", model: "gpt", stream: false },
          { id: "helper", provider: "scripted", script: scriptOf({ researcher: [] }) },
        ],
        stream: false,
      },
    });
    const asked = server.requests.map(({ json }) => (json as { model: string }).model);
    expect(trial.toolCalls.map(({ delegation, error }) => delegation?.model ?? error?.message)).toEqual([
      "m",
      "local:gpt-other",
      "helper",
      "helper",
      "second:x",
      expect.stringContaining('"nobody"'),
    ]);
    expect(asked).toEqual(["gpt", "gpt", "gpt-other", "x", "gpt"]);
  });
});

describe("what a sub-agent does", () => {
  it("is seen by every assertion on tools, or it could do what the agent must not", async () => {
    const refund = {
      name: "issue_refund",
      parameters: { id: "string" },
      default: { error: { type: "runtime", message: "Down" } },
    };
    const { trial } = await run({
      scripts: {
        boss: [task("clerk"), task("researcher")],
        clerk: [task("researcher"), { tool: "issue_refund", args: { id: "1" } }],
        researcher: [find("a"), find("a")],
      },
      agents: [
        template("clerk", { tools: ["task_run", refund] }),
        template("researcher", { tools: [search] }),
        template("writer"),
      ],
      assert: [
        { type: "tool_not_called", tool: "issue_refund" },
        { type: "max_tool_calls", max: 7 },
        { type: "no_tool_errors" },
        { type: "no_redundant_calls", tool: "search" },
        { type: "tool_order", tools: ["task_run", "search", "issue_refund", "search"] },
        { type: "tool_order", tools: ["issue_refund", "search"] },
        { type: "tool_called", tool: "issue_refund", before: "search" },
        { type: "asks_before", tool: "issue_refund" },
        { type: "delegates_to", template: "researcher", times: 2, prompt: { $contains: "prices" } },
        { type: "delegates_to", template: "researcher", prompt: "Other" },
        { type: "delegates_to", template: "writer" },
      ],
    });
    expect(trial.assertions.map(({ type, pass, message }) => [type, pass, pass || message])).toEqual([
      [
        "tool_not_called",
        false,
        'Expected no call of issue_refund, but issue_refund({id: "1"}) by the sub-agent clerk was called',
      ],
      ["max_tool_calls", false, expect.stringContaining("but 8 were made")],
      ["no_tool_errors", false, expect.stringContaining("by the sub-agent clerk")],
      ["no_redundant_calls", false, expect.stringContaining("by the sub-agent clerk > researcher was made again")],
      ["tool_order", true, true],
      ["tool_order", true, true],
      ["tool_called", true, true],
      ["asks_before", false, expect.stringContaining("by the sub-agent clerk")],
      ["delegates_to", true, true],
      [
        "delegates_to",
        false,
        'Expected a task with prompt "Other" to be delegated to researcher, but the prompt was "Compare prices"',
      ],
      [
        "delegates_to",
        false,
        "Expected a task to be delegated to writer, but tasks were delegated to clerk and researcher only",
      ],
    ]);
  });

  it("shares the limits, the tools and the faults of the trial, and ends with it", async () => {
    const count = {
      name: "count",
      parameters: {},
      responses: [{ sequence: [{ return: 1 }, { return: 2 }, { return: 3 }] }],
    };
    const call: Call = { tool: "count", args: {} };
    const setup: Setup = {
      scripts: { boss: [call, task("helper"), call], helper: [call] },
      agents: [template("helper", { tools: ["count"] })],
      suite: { tools: ["task_run", count] },
    };
    const { trial } = await run(setup);
    expect(outcomes(trial)).toEqual([1, { status: "ok", template: "helper", text: "Answer of helper" }, 3]);
    expect(trial.toolCalls[1]?.delegation?.toolCalls[0]?.result).toBe(2);

    const faults = [{ tool: "count", kind: "error", call: 2, error: { type: "runtime", message: "Down" } }];
    const { trial: faulty } = await run({ ...setup, suite: { ...setup.suite, faults } });
    expect(faulty.toolCalls[1]?.delegation?.toolCalls[0]?.error?.message).toBe("Down");

    const limited = (limits: object): Promise<{ trial: ReportedTrial }> =>
      run({ ...setup, suite: { ...setup.suite, limits } });
    const { trial: ended } = await limited({ max_tool_calls: 2 });
    expect(ended.error).toMatchObject({
      code: "ENGINE_BUDGET_EXCEEDED",
      message: "The agent made more than 2 tool calls",
    });
    expect(ended.toolCalls[1]?.delegation).toMatchObject({
      status: "failed",
      toolCalls: [],
      error: { code: "ENGINE_BUDGET_EXCEEDED" },
    });
    // What the agent itself had cost until it delegated, and not much more.
    const spent = trial.turns.slice(0, 2).reduce((sum, turn) => sum + turn.costUsd, 0.000_001);
    const { trial: expensive } = await limited({ max_trial_cost: spent });
    expect(expensive.error?.message).toContain("max_trial_cost");
    expect(expensive.toolCalls[1]?.delegation?.status).toBe("failed");
  });

  it("is paused if a call waits for an approval, with permissionIds; the rules are those of the trial", async () => {
    const setup: Setup = {
      scripts: { boss: [task("clerk"), task("researcher")], clerk: [task("researcher")], researcher: [find("a")] },
      agents: [template("clerk", { tools: ["task_run"] }), template("researcher", { tools: [search] })],
    };
    const { trial, cwd } = await run({ ...setup, suite: { permissions: { ask: ["search"] } } }, [
      "--events",
      "log.jsonl",
    ]);
    const [nested, call] = trial.toolCalls;
    expect(call?.result).toEqual({
      status: "paused",
      template: "researcher",
      text: "",
      permissionIds: ["3/call_1_1"],
    });
    expect(call?.delegation).toMatchObject({ status: "paused", toolCalls: [{ error: { errorType: "aborted" } }] });
    expect(nested?.result).toEqual({ status: "ok", template: "clerk", text: "Answer of clerk" });
    expect(nested?.delegation?.toolCalls[0]?.result).toMatchObject({ status: "paused", permissionIds: ["2/call_1_1"] });
    // Each ID belongs to one call of the trial, and is the same in all records.
    expect(trial.paused).toEqual({ permissionIds: ["2/call_1_1", "3/call_1_1"] });
    expect(eventsIn(cwd, "permission:required").map(({ permissionId }) => permissionId)).toEqual([
      "2/call_1_1",
      "3/call_1_1",
    ]);
    expect(trial.assertions.map(({ type, pass }) => [type, pass])).toEqual([
      ["approvals", false],
      ["contains", true],
    ]);
    const expected = await run({
      ...setup,
      suite: { permissions: { ask: ["search"] } },
      assert: [{ type: "permission", tool: "search", decision: "pending", times: 2 }],
    });
    expect(expected.trial).toMatchObject({ status: "passed", paused: { permissionIds: { length: 2 } } });
    const { trial: denied } = await run({ ...setup, suite: { permissions: { deny: ["search"] } } });
    expect(denied.toolCalls[1]?.delegation?.toolCalls[0]?.error?.message).toBe("Tool denied by policy");
  });

  it("is an error for the agent if the sub-agent does not finish, or not in time", async () => {
    const loop = [find("a"), find("b"), find("c"), find("d")];
    const slow = { name: "slow", parameters: {}, default: { hang: true } };
    const { trial } = await run({
      scripts: { boss: [task("looper"), task("sleeper")], looper: loop, sleeper: [{ tool: "slow", args: {} }] },
      agents: [template("looper", { tools: [search] }), template("sleeper", { tools: [slow] })],
      suite: { limits: { max_turns: 3 }, tools: [{ builtin: "task_run", timeout: "50ms" }] },
    });
    expect(outcomes(trial)).toEqual([
      "The sub-agent 'looper' did not finish: The agent was still calling tools after 3 turns",
      "The tool did not answer within 50 ms",
    ]);
    expect(trial.toolCalls.map(({ delegation }) => [delegation?.status, delegation?.error?.code])).toEqual([
      ["failed", "ENGINE_MAX_TURNS"],
      ["failed", "ENGINE_ABORTED"],
    ]);
    expect(trial.status).toBe("passed");

    const { trial: stopped } = await run({
      scripts: { boss: [task("sleeper")], sleeper: [{ tool: "slow", args: {} }] },
      agents: [template("sleeper", { tools: [slow] })],
      suite: { timeouts: { trial: "80ms" } },
    });
    expect(stopped.error?.code).toBe("ENGINE_TIMEOUT");
    expect(stopped.toolCalls[0]?.delegation?.toolCalls[0]?.error?.errorType).toBe("aborted");
  });

  it("uses tools of the MCP servers and modules of the suite by name or glob, with their faults and permissions", async () => {
    const cwd = makeProject({
      "server.cjs": mcpFakeServer,
      "tools.mjs": `const input_schema = { type: "object" };
export default ["add", "subtract"].map((name) => ({ name, description: name, input_schema, exec: () => name }));`,
    });
    const fine: Call = { tool: "fine", args: { a: 1 } };
    const setup: Setup = {
      scripts: {
        boss: [task("clerk"), task("writer")],
        clerk: [fine, fine, { tool: "add", args: {} }],
        writer: [
          { tool: "says_no", args: {} },
          { tool: "breaks", args: {} },
        ],
      },
      agents: [template("clerk", { tools: ["fin?", "add"] }), template("writer", { tools: ["says_*"] })],
      suite: {
        tools: ["task_run", { module: join(cwd, "tools.mjs") }],
        mcp_servers: [
          { name: "fake", command: [process.execPath, "server.cjs"], cwd, include: ["fine", "says_no", "breaks"] },
        ],
        permissions: { deny: ["says_no"] },
        faults: [{ tool: "fine", kind: "error", call: 1, error: { type: "runtime", message: "Down" } }],
      },
      config: { allow_outside: true },
      assert: [
        { type: "tool_called", tool: "fine", args: { a: 1 }, times: 2 },
        { type: "recovers_from", tool: "fine" },
        { type: "permission", tool: "says_no", decision: "denied" },
        { type: "tool_not_called", tool: "add" },
      ],
    };
    const { trial } = await run(setup);
    expect(trial.error).toBeNull();
    const [ofClerk, ofWriter] = trial.toolCalls.map(({ delegation }) => outcomes(delegation ?? { toolCalls: [] }));
    expect(ofClerk).toEqual(["Down", 'fine {"a":1}', "add"]);
    expect(ofWriter).toEqual(["Tool denied by policy", 'There is no tool "breaks". Tools: says_no']);
    expect(trial.assertions.map(({ pass }) => pass)).toEqual([true, true, true, false]);

    const { trial: misspelt } = await run({ ...setup, agents: [template("clerk", { tools: ["fien"] })] });
    expect(misspelt.error).toMatchObject({
      code: "ENGINE_FIXTURE_ERROR",
      message: 'Tool "fien" of the agent template "clerk" not found. Did you mean "fine"?',
    });
  });

  it("takes place in the workspace of the trial, but the sub-agent has read no file and has its own todos", async () => {
    const read: Call = { tool: "fs_read", args: { path: "a.txt" } };
    const edit = (old: string, text: string): Call => ({ tool: "fs_edit", args: { path: "a.txt", old, new: text } });
    const todos: Call = { tool: "todo_read", args: {} };
    const write: Call = {
      tool: "todo_write",
      args: { todos: [{ id: "1", title: "Edit", status: "in_progress" }] },
    };
    const readOther: Call = { tool: "fs_read", args: { path: "b.txt" } };
    const remove: Call = { tool: "bash_run", args: { cmd: "rm b.txt" } };
    const { trial, cwd } = await run(
      {
        scripts: {
          boss: [write, read, task("editor"), edit("two", "three")],
          editor: [edit("one", "two"), read, edit("one", "two"), todos, readOther, remove],
        },
        agents: [template("editor", { tools: ["fs_*", "todo_*", "bash_run"] })],
        suite: { tools: ["task_run", "fs_*", "todo_*"], workspace: { files: { "a.txt": "one", "b.txt": "" } } },
        assert: [{ type: "file", path: "a.txt", equals: "two" }],
      },
      ["--events", "log.jsonl"],
    );
    expect(outcomes(trial.toolCalls[2]?.delegation ?? { toolCalls: [] })).toMatchObject([
      'Read "a.txt" with fs_read before changing it',
      { content: "one" },
      { ok: true },
      { todos: [] },
      { path: "b.txt" },
      { ok: true },
    ]);
    expect(eventsIn(cwd, "file_changed")).toMatchObject([
      { path: "b.txt", change: "deleted", role: "sub_agent", agent: ["editor"] },
      { path: "a.txt", change: "changed" },
    ]);
    expect(trial.toolCalls[3]?.error?.message).toContain("has changed since you last read it");
    expect(trial.status).toBe("passed");
  });

  it("is recorded and replayed by cassettes, is in the event log, and is scored again from the journal", async () => {
    const server = await startServer(({ json }, response) => {
      const { messages } = json as { messages: { role: string; content: string }[] };
      const isBoss = messages[0]?.content === "You are boss.";
      if (messages.some(({ role }) => role === "tool") || !isBoss) {
        return sendJson(response, 200, chatCompletion({ text: isBoss ? "Answer of boss" : "Found" }));
      }
      const calls = ["a", "b"].map((id) => ({ id, tool: "task_run", args: task("researcher").args }));
      return sendJson(response, 200, chatCompletion({ toolCalls: calls }));
    });
    const setup: Setup = {
      scripts: {},
      agents: [template("researcher")],
      config: {
        providers: { local: { type: "openai", base_url: server.url } },
        models: [{ id: "m", provider: "local", model: "gpt", stream: false }],
      },
    };
    const { trial, cwd } = await run(setup, ["--cassette", "record", "--events", "log.jsonl"]);
    expect(outcomes(trial)).toMatchObject([{ text: "Found" }, { text: "Found" }]);
    expect(readFileSync(join(cwd, "log.jsonl"), "utf8")).toContain('"agent":["researcher"]');
    await server.close();
    expect(await trialIn(cwd, ["--cassette", "replay"])).toMatchObject({ status: "passed", toolCalls: [{}, {}] });
    const assert = [{ type: "delegates_to", template: "researcher", times: 3 }];
    writeFileSync(join(cwd, "kindlm.yaml"), JSON.stringify(configOf({ ...setup, assert })));
    const again = await trialIn(cwd, ["--resume"]);
    expect(again.assertions.map(({ message }) => message)).toEqual([
      "Expected a task to be delegated to researcher 3 times, but it was delegated 2 times",
    ]);
  });
});

describe("agents:", () => {
  it("reports what a template names and is not there, with what may be meant", async () => {
    const problemsOf = async (
      agents: readonly object[],
      suite: object = {},
      assert?: readonly unknown[],
    ): Promise<string> => {
      const config = configOf({ scripts: {}, agents, suite, ...(assert === undefined ? {} : { assert }) });
      return (await runCli(["validate", "--all"], { cwd: makeProject({ "kindlm.yaml": JSON.stringify(config) }) }))
        .stderr;
    };
    const stderr = await problemsOf(
      [
        template("a", { tools: ["serch"], subagents: { templates: ["c"] } }),
        template("a", { model: "mm" }),
        template("b", {
          model: { provider: "opnai", model: "x" },
          tools: [{ name: "x", timeout: 1 }],
          system: "{{nme}}",
        }),
      ],
      { tools: ["task_run", search], subagents: { templates: ["d"] } },
    );
    for (const problem of [
      'Tool "serch" not found',
      'Did you mean "search"?',
      'The agent template "a" is already defined',
      'Agent template "c" not found',
      'Agent template "d" not found',
      'Unknown model "mm"',
      'Did you mean "openai"?',
      "{{nme}}",
    ]) {
      expect(stderr).toContain(problem);
    }
    expect(await problemsOf([template("a", { tools: ["fs_read"] })])).toContain('Tool "fs_read" needs a workspace');
    const delegated = { type: "delegates_to", template: "aa" };
    const unknown = 'No agent template of the test is named "aa"';
    expect(await problemsOf([template("ab")], {}, [delegated])).toContain(`${unknown} at line`);
    expect(await problemsOf([template("ab")], {}, [{ ...delegated, not: true }])).toContain(
      `⚠ ${unknown}, so nothing is ever delegated to it`,
    );
    const program = { target: { command: ["node"] } };
    expect(await problemsOf([template("a"), template("b", { model: "m" })], program)).toMatch(
      /^⚠ The agent template "a" has no model, and neither has the program under test$/m,
    );
    expect(await problemsOf([template("a")], { tools: [] })).toContain('"agents" has no effect');
    expect(await problemsOf([], { agents: undefined })).toContain('Tool "task_run" needs agents to delegate to');
  });
});
