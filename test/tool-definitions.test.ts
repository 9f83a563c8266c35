import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sendJson, startServer } from "../packages/core/src/__fixtures__/start-server.js";
import { mcpFakeServer } from "./support/mcp-fake-server.js";
import { repository, runCli } from "./support/run-cli.js";
import { runInWorkspace } from "./support/workspace-run.js";

/** The sections of the document of the KODE SDK about tools that one is defined by. */
const module = (core: string): string => `
import { defineTool, ToolRegistry } from "${core}";

// "Simplified API", with the legacy attributes of "Migration" and a prompt.
export const weather = defineTool({
  name: "weather",
  description: "Get the weather",
  prompt: "Ask for one city at a time.",
  params: { city: { type: "string" } },
  attributes: { access: "read", mutates: false, safe: true },
  exec: ({ city }, ctx) => {
    ctx.emit("weather_fetched", { city });
    return { temperature: 22 };
  },
});

// "Classic interface": a registry with a tool that is no product of defineTool.
export const registry = new ToolRegistry();
registry.register("greet", () => ({
  name: "greet",
  description: "Greet a person by name",
  input_schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  prompt: "Greet teammates only.",
  async exec(args, ctx) {
    // "Custom events", as the defineTool of the KODE SDK hands them on.
    const timestamp = 1_700_000_000_000;
    const event = { type: "tool_custom_event", toolName: "greet", eventType: "greeted", data: { to: args.name }, timestamp };
    ctx.agent.events.emitMonitor(event);
    ctx.agent.events.emitMonitor({ type: "tool_executed" });
    return "Hello, " + args.name + "!";
  },
  toDescriptor: () => ({ source: "registered", name: "greet", metadata: { access: "write", mutates: true } }),
}));

// "Timeout": it is left behind.
export const hang = defineTool({ name: "hang", params: {}, exec: () => new Promise(() => {}) });
`;

interface Request {
  tools: { function: { name: string; description?: string } }[];
}

it("tools of every style are described, run, timed and permitted as the KODE SDK says", async () => {
  const requests: Request[] = [];
  const calls = [
    { name: "weather", arguments: '{"city":"Lisbon"}' },
    { name: "greet", arguments: '{"name":"Ada"}' },
    { name: "hang", arguments: "{}" },
  ];
  const message = (count: number) =>
    count > 1
      ? { content: "Done" }
      : {
          content: null,
          tool_calls: calls.map((one, index) => ({ id: `c${index}`, type: "function", function: one })),
        };
  const server = await startServer(({ body }, response) => {
    requests.push(JSON.parse(body) as Request);
    const usage = { prompt_tokens: 1, completion_tokens: 1 };
    const choice = {
      index: 0,
      finish_reason: requests.length > 1 ? "stop" : "tool_calls",
      message: message(requests.length),
    };
    sendJson(response, 200, { id: "r", model: "m", choices: [choice], usage });
  });
  const cwd = makeProject({
    "tools.mjs": module(pathToFileURL(join(repository, "packages/core/dist/index.js")).href),
    "kindlm.yaml": `version: 1
providers: { local: { type: openai, base_url: "${server.url}/v1", api: chat } }
models: [{ id: m, provider: local, model: m, pricing: { input: 0, output: 0 } }]
suites:
  - name: s
    tools:
      - { module: "./tools.mjs#weather", name: weather }
      - { module: "./tools.mjs#registry" }
      - { module: "./tools.mjs#hang", name: hang, timeout: 20ms, prompt: Do not wait for it. }
    permissions: { mode: readonly, allow: [greet, hang] }
    tests:
      - name: t
        input: Go
        assert: [{ type: event, name: greeted }, { type: permission, tool: weather, decision: allowed }]
`,
  });
  const before = Date.now();
  const { stdout, stderr } = await runCli(["test", "--reporter", "json", "--events", "events.jsonl"], { cwd });
  const after = Date.now();
  await server.close();
  expect(stdout, stderr).not.toBe("");
  const report = JSON.parse(stdout || "null") as {
    suites: { tests: { status: string; trials: { toolCalls: unknown }[] }[] }[];
  };
  const test = report.suites[0]?.tests[0];
  expect(test?.status, stderr).toBe("passed");
  expect(requests[0]?.tools.map((tool) => [tool.function.name, tool.function.description])).toEqual([
    ["weather", "Get the weather\n\nAsk for one city at a time."],
    ["greet", "Greet a person by name\n\nGreet teammates only."],
    ["hang", "Do not wait for it."],
  ]);
  expect(test?.trials[0]?.toolCalls).toMatchObject([
    {
      tool: "weather",
      result: { temperature: 22 },
      events: [{ name: "weather_fetched", data: { city: "Lisbon" } }],
      permission: { decision: "allowed", by: "mode", rule: "readonly" },
    },
    {
      tool: "greet",
      result: "Hello, Ada!",
      events: [{ name: "greeted", data: { to: "Ada" }, at: 1_700_000_000_000 }],
      permission: { decision: "allowed", by: "rule" },
    },
    { tool: "hang", error: { errorType: "aborted", retryable: false } },
  ]);
  const events = readFileSync(join(cwd, "events.jsonl"), "utf8").trim().split("\n");
  const times = events
    .map((line) => JSON.parse(line) as { type: string; name: string; time: number })
    .filter(({ type }) => type === "tool:event")
    .map(({ name, time }) => [name, time] as const);
  expect(times).toEqual([
    ["weather_fetched", expect.any(Number)],
    ["greeted", 1_700_000_000_000],
  ]);
  expect(times[0]?.[1]).toBeGreaterThanOrEqual(before);
  expect(times[0]?.[1]).toBeLessThanOrEqual(after);
});

const sdk = (name: string): string =>
  pathToFileURL(createRequire(import.meta.url).resolve(`@modelcontextprotocol/sdk/client/${name}`)).href;

/** The other examples of the document, with their own lines. */
const examples = (core: string): string => `
import { defineTool, defineTools, ToolRegistry } from "${core}";
import { Client } from "${sdk("index.js")}";
import { StdioClientTransport } from "${sdk("stdio.js")}";

// "Multiple Tools"
export const calculator = defineTools([
  {
    name: "add",
    description: "Add two numbers",
    params: { a: { type: "number" }, b: { type: "number" } },
    attributes: { readonly: true, noEffect: true },
    async exec(args, ctx) { return args.a + args.b; },
  },
  {
    name: "multiply",
    description: "Multiply two numbers",
    params: { a: { type: "number" }, b: { type: "number" } },
    attributes: { readonly: true, noEffect: true },
    async exec(args, ctx) { return args.a * args.b; },
  },
]);

// "Custom Schema"
export const advanced = defineTool({
  name: "advanced_tool",
  description: "Advanced tool",
  input_schema: {
    type: "object",
    properties: { data: { type: "string", pattern: "^[A-Z]{3}$", minLength: 3, maxLength: 3 } },
    required: ["data"],
  },
  async exec(args, ctx) { return args.data; },
});

// "Emit Events"
export const processing = defineTool({
  name: "process_data",
  description: "Process data",
  params: { input: { type: "string" } },
  async exec(args, ctx) {
    ctx.emit("processing_started", { input: args.input });
    const result = await args.input.length;
    ctx.emit("processing_completed", { result, duration: 1234 });
    return result;
  },
});

// "Handle AbortSignal": a class that checks the signal.
class MyLongRunningTool {
  name = "compute";
  input_schema = { type: "object", properties: {} };
  async exec(args, context) {
    for (;;) {
      if (context.signal?.aborted) throw new Error("Operation aborted");
      await this.step();
    }
  }
  step() { return new Promise((resolve) => setImmediate(resolve)); }
}
export const long = new MyLongRunningTool();

// "MCP Integration"
const registry = new ToolRegistry();
registry.register("advanced_tool", () => advanced);
registry.registerMCPLoader("my-mcp-server", async () => {
  const client = new Client({ name: "mine", version: "1" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [new URL("server.cjs", import.meta.url).pathname] }));
  const { tools } = await client.listTools();
  return tools.map(({ name, inputSchema }) => ({
    name,
    input_schema: inputSchema,
    exec: async (args) => (await client.callTool({ name, arguments: args })).content[0].text,
  }));
});
export { registry };
`;

/** "Recommended Security Strategy", with its own lines. */
const strategy = `export default {
  name: "secure-runner",
  preToolUse(call) {
    if (call.name === "bash_run" && !/^git /.test(call.args.cmd)) {
      return { decision: "ask", meta: { reason: "Non-whitelisted command" } };
    }
    return undefined;
  },
};`;

it("the examples of the document work as they are written", async () => {
  const call = (tool: string, args: object): { tool: string; args: Record<string, unknown> } => ({
    tool,
    args: { ...args },
  });
  const { trial, stderr } = await runInWorkspace({
    files: {
      "tools.mjs": examples(pathToFileURL(join(repository, "packages/core/dist/index.js")).href),
      "server.cjs": `process.chdir(__dirname);${mcpFakeServer}`,
      "strategy.mjs": strategy,
    },
    tools: [
      "bash_run",
      { module: "./tools.mjs#calculator" },
      { module: "./tools.mjs#processing" },
      { module: "./tools.mjs#long", name: "compute", timeout: "20ms" },
      { module: "./tools.mjs#registry" },
    ],
    config: { plugins: ["./strategy.mjs"] },
    suite: { approvals: [{ tool: "bash_run", decision: "deny" }] },
    calls: [
      [call("add", { a: 2, b: 3 }), call("multiply", { a: 2, b: 3 })],
      [call("advanced_tool", { data: "ABC" }), call("advanced_tool", { data: "abcd" })],
      [call("process_data", { input: "four" }), call("compute", {})],
      [call("fine", { a: 1 })],
      [call("bash_run", { cmd: "git --version" }), call("bash_run", { cmd: "rm -r src" })],
    ],
  });
  expect(trial.error, stderr).toBeNull();
  expect(trial.toolCalls.map(({ tool, result, error }) => [tool, result ?? error?.message])).toEqual([
    ["add", 5],
    ["multiply", 6],
    ["advanced_tool", "ABC"],
    ["advanced_tool", expect.stringMatching(/^Invalid parameters: data must .*; data must match/)],
    ["process_data", 4],
    ["compute", "The tool did not answer within 20 ms"],
    ["fine", 'fine {"a":1}'],
    ["bash_run", expect.objectContaining({ ok: true, stdout: expect.stringContaining("git version") })],
    ["bash_run", "Non-whitelisted command"],
  ]);
  expect(trial.toolCalls[4]).toMatchObject({
    events: [
      { name: "processing_started", data: { input: "four" } },
      { name: "processing_completed", data: { result: 4, duration: 1234 } },
    ],
  });
});
