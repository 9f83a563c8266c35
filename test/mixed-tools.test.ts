import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { onTestFinished, describe, expect, it } from "vitest";
import { createManualClock } from "../packages/core/src/__fixtures__/manual-clock.js";
import { scriptedConfig } from "../packages/core/src/__fixtures__/scripted-config.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";
import { mcpFakeServer } from "./support/mcp-fake-server.js";
import { runCli } from "./support/run-cli.js";
import { sendJson, startServer, type Handler } from "../packages/core/src/__fixtures__/start-server.js";
import { startWatch } from "./support/start-watch.js";

const coreUrl = createRequire(import.meta.url).resolve("../packages/core/dist/index.js");

const toolModule = `
import { defineTool, defineTools } from ${JSON.stringify(coreUrl)};
let calls: number = 0;
export const get_weather = defineTool({
  name: "get_weather",
  description: "Weather of a city",
  params: { city: { type: "string" }, unit: { type: "string", enum: ["c", "f"], default: "c" } },
  attributes: { readonly: true, noEffect: true },
  async exec(args, ctx) {
    calls += 1;
    ctx.emit("weather_fetched", { city: args.city, calls });
    return { degrees: 22, unit: args.unit };
  },
});
export const calculator = defineTools([
  { name: "add", params: { a: { type: "number" }, b: { type: "number" } }, exec: (args) => args.a + args.b },
  { name: "divide", params: { a: { type: "number" }, b: { type: "number" } }, exec(args) {
    return args.b === 0 ? { ok: false, error: "division by zero" } : args.a / args.b;
  } },
]);
`;

const program = `
case $(cat) in *'"none"'*) echo "no such article" >&2; exit 1 ;; esac
printf '{"sku":"A-1","stock":7,"tool":"%s","shop":"%s"}' "$KINDLM_TOOL" "$SHOP"
`;

/** The part of MCP over HTTP that a client needs to call one tool. */
const httpMcp: Handler = ({ method, json }, response) => {
  const message = json as { id?: number; method: string; params?: { protocolVersion?: string; arguments?: object } };
  if (method !== "POST") return void response.writeHead(405).end();
  if (message.id === undefined) return void response.writeHead(202).end();
  const { a, b } = { a: 0, b: 0, ...message.params?.arguments };
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: message.params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "web", version: "1" },
    },
    "tools/list": { tools: [{ name: "get-sum", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: `The sum of ${a} and ${b} is ${a + b}.` }] },
  };
  sendJson(response, 200, { jsonrpc: "2.0", id: message.id, result: results[message.method] });
};

const calls = `[
  { tool: lookup_order, args: { order_id: ORD-1 } },
  { tool: get_weather, args: { city: Lisbon } },
  { tool: add, args: { a: 1, b: 2 } },
  { tool: divide, args: { a: 1, b: 0 } },
  { tool: check_stock, args: { sku: A-1 } },
  { tool: check_stock, args: { sku: none } },
  { tool: get_customer, args: { id: "a/b" } },
  { tool: fine, args: { x: 1 } },
  { tool: get-sum, args: { a: 1, b: 2 } },
  { tool: crash, args: {} }]`;

const suite = (url: string): string => `  - name: mixed
    mcp_servers:
      - { name: fake, command: [node, ./server.cjs], include: [fine, crash] }
      - { name: web, url: "${url}/mcp", include: [get-sum] }
    tools:
      - { name: lookup_order, default: { return: { status: delivered } } }
      - module: ./tools.ts#get_weather
      - module: ./tools.ts#calculator
      - name: check_stock
        command: [sh, stock.sh]
        env: { SHOP: "\${SHOP_NAME}" }
        parameters: { type: object, properties: { sku: { type: string } }, required: [sku] }
      - name: get_customer
        url: ${url}/customers/{{args.id}}?team={{team}}
        method: GET
        headers: { authorization: "Bearer \${SHOP_LOGIN}" }
        response_path: data.0
    vars: { team: blue }
    tests:
      - name: everything
        input: go
        assert:
          - { type: tool_called, tool: lookup_order, result: { status: delivered } }
          - { type: tool_called, tool: get_weather, result: { degrees: 22, unit: c } }
          - { type: event, name: weather_fetched, data: { city: Lisbon, calls: 1 } }
          - { type: tool_called, tool: add, result: 3 }
          - { type: tool_called, tool: check_stock, result: { stock: 7, tool: check_stock, shop: "Corner" } }
          - { type: tool_called, tool: get_customer, result: { name: Ada } }
          - { type: tool_called, tool: fine, result: 'fine {"x":1}' }
          - { type: tool_called, tool: get-sum, result: "The sum of 1 and 2 is 3." }
`;

const rules = `[{ when: { turn: 1 }, reply: { tool_calls: ${calls.replaceAll("\n", " ")} } }]`;

describe("one test with tools of five kinds", () => {
  /** The service, with an MCP server beneath it. */
  async function startService() {
    const server = await startServer((request, response) =>
      request.path === "/mcp"
        ? httpMcp(request, response)
        : sendJson(response, 200, { data: [{ name: "Ada", seen: request.headers.authorization }] }),
    );
    onTestFinished(() => server.close());
    return server;
  }

  it("calls each where it is, and tells the model of what failed", async () => {
    const server = await startService();
    const watch = await startWatch();
    const cwd = makeProject({
      "kindlm.yaml": scriptedConfig({ rules, suites: suite(server.url) }),
      "tools.ts": toolModule,
      "stock.sh": program,
      "server.cjs": watch.preamble + mcpFakeServer,
    });
    const env = { SHOP_NAME: "Corner", SHOP_LOGIN: "shop-secret-value" };
    const { code, stdout, stderr } = await runCli(["test", "--reporter", "json", "--events", "events.ndjson"], {
      cwd,
      env,
      openModules: sharedModules,
    });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(server.requests.filter(({ path }) => path !== "/mcp")).toMatchObject([
      { method: "GET", path: "/customers/a%2Fb?team=blue", headers: { authorization: "Bearer shop-secret-value" } },
    ]);
    expect(stdout).not.toContain("shop-secret-value");
    const events = readFileSync(join(cwd, "events.ndjson"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const failures = events.filter(({ type }) => type === "tool:error").map(({ tool, failure }) => ({ tool, failure }));
    expect(failures).toMatchObject([
      { tool: "divide", failure: { errorType: "logical", message: "division by zero" } },
      { tool: "check_stock", failure: { errorType: "logical", message: expect.stringContaining("no such article") } },
      { tool: "crash", failure: { errorType: "runtime", message: expect.stringContaining("out of memory") } },
    ]);
    expect(events.filter(({ type }) => type === "tool:event")).toMatchObject([
      { tool: "get_weather", name: "weather_fetched", data: { city: "Lisbon", calls: 1 } },
    ]);
    await watch.allGone();
  });

  it("meets a fault of its own in each of them", async () => {
    const server = await startService();
    const struck = ["lookup_order", "get_weather", "check_stock", "get_customer", "fine", "get-sum"];
    const faults = `faults: { expand: true, list: [${struck.map((tool) => `{ tool: ${tool}, kind: error, call: 1 }`).join(", ")}] }`;
    // No crash, so that one server does for all cases.
    const [head = ""] = suite(server.url)
      .replace("include: [fine, crash]", "per: run, include: [fine]")
      .split("        assert:\n");
    const cwd = makeProject({
      "kindlm.yaml": scriptedConfig({
        rules: rules.replace(/, *\{ tool: crash, args: \{\} \}/, ""),
        suites: `${head}        ${faults}\n        assert: [{ type: no_tool_errors, error_type: aborted }]\n`,
      }),
      "tools.ts": toolModule,
      "stock.sh": program,
      "server.cjs": mcpFakeServer,
    });
    const env = { SHOP_NAME: "Corner", SHOP_LOGIN: "shop-secret-value" };
    const { code, stdout } = await runCli(["test", "--reporter", "json"], { cwd, env, openModules: sharedModules });
    const report = JSON.parse(stdout) as {
      suites: {
        tests: { id: string; status: string; trials: { toolCalls: { tool: string; fault?: object }[] }[] }[];
      }[];
    };
    const met = report.suites[0]?.tests.map(({ id, status, trials }) => [
      id,
      status,
      (trials[0]?.toolCalls ?? []).flatMap(({ tool, fault }) => (fault === undefined ? [] : [tool])),
    ]);
    expect(met).toEqual([
      ["mixed/everything@m", "passed", []],
      ...struck.map((tool) => [`mixed/everything@m+error:${tool}`, "passed", [tool]]),
    ]);
    expect(code).toBe(0);
  });

  it("leaves no server behind after Ctrl-C in the middle of a call", async () => {
    const watch = await startWatch();
    const stubborn = `process.on("SIGTERM", () => say("asked to end"));
process.stdin.on("end", () => say("input has ended"));
`;
    const cwd = makeProject({
      "kindlm.yaml": scriptedConfig({
        rules: "[{ when: { turn: 1 }, reply: { tool_calls: [{ tool: hang, args: {} }] } }]",
        suites: `  - name: s
    mcp_servers: [{ name: fake, command: [node, ./server.cjs], per: run }]
    tests: [{ name: t, input: go, assert: [{ type: contains, value: hello }] }]
`,
      }),
      "server.cjs": `${watch.preamble}${stubborn}stay();${mcpFakeServer}`,
    });
    const interrupt = new AbortController();
    const clock = createManualClock({ start: Date.now() });
    const running = runCli(["test"], { cwd, clock, interrupt: interrupt.signal });
    expect(await Promise.race([watch.hears("hang"), running])).toBeUndefined();
    interrupt.abort();
    await watch.hears("input has ended");
    clock.advance(300);
    await watch.hears("asked to end");
    clock.advance(500);
    const { code } = await running;
    expect(code).toBe(1);
    await watch.allGone();
  });
});

describe("a source of tools that cannot be used", () => {
  const broken = (tools: string): string =>
    scriptedConfig({
      suites: `  - name: s
    tools: ${tools}
    tests: [{ name: t, input: go, assert: [{ type: contains, value: hello }] }]
`,
    });

  it.each([
    ["[{ module: ./tools.mjs#missing }]", 'has no export "missing". It exports bare, clash, list, text'],
    ["[{ module: ./tools.mjs#bare }]", "does not declare its arguments: give it params or input_schema"],
    ["[{ module: ./tools.mjs#text }]", "is not a tool: create it with defineTool or defineTools"],
    ["[{ module: ./tools.mjs#list, name: on }]", 'has no tool "on". Did you mean "one"?'],
    ["[{ module: ./tools.mjs#list }, { name: one }]", 'Two tools of the test are named "one"'],
    ["[{ module: ./throws.mjs }]", "cannot be loaded: no database"],
  ])("makes the trial errored: %s", async (tools, message) => {
    const one = '{ name: "one", input_schema: { type: "object" }, attributes: {}, exec: () => 1 }';
    const cwd = makeProject({
      "kindlm.yaml": broken(tools),
      "tools.mjs": `export const text = "x"; export const clash = 1; export const bare = { name: "bare", exec: () => 1 }; export const list = [${one}];`,
      "throws.mjs": 'throw new Error("no database");',
    });
    const { code, stdout } = await runCli(["test", "--reporter", "json"], { cwd, openModules: sharedModules });
    expect(code).toBe(1);
    const [test] =
      (JSON.parse(stdout) as { suites: { tests: { error: { code: string; message: string } }[] }[] }).suites[0]
        ?.tests ?? [];
    expect(test?.error).toMatchObject({ code: "ENGINE_FIXTURE_ERROR", message: expect.stringContaining(message) });
  });

  it.each([
    [
      "[{ name: a, command: [x], responses: [] }]",
      '"responses" belongs to a simulated tool, but "command" makes this a command',
    ],
    [
      "[{ name: a, url: 'http://x', module: ./a.js }]",
      '"url" belongs to an HTTP service, but "module" makes this a tool of a module',
    ],
    ["[{ name: a, method: GET }]", '"method" belongs to an HTTP service, which needs "url"'],
    ["[{ command: [x] }]", '"name" is missing; expected a string'],
    ["[{ name: a, url: 'localhost:8080/x' }]", '"localhost:8080/x" is not an HTTP address'],
    ["[{ name: a, command: x }]", '"command" must be a list, but it is a string'],
    ["[{ name: a, url: 'http://${NOT_SET}/' }]", "The environment variable NOT_SET is not set"],
    ["[{ name: a, url: 'http://x/{{arg.id}}' }]", "Unknown placeholder {{arg.id}}"],
    ["[{ module: ./nowhere.js#a }]", 'Module "nowhere.js" not found'],
    ["[{ module: ../outside.js#a }]", '"../outside.js" is outside the folder of the config'],
    ["[{ module: kindlm.yaml, parameters: {} }]", '"parameters" would hold for every tool of the module'],
    ["[{ name: a, commnd: [x] }]", 'Unknown key "commnd"'],
  ])("is found by validate: %s", async (tools, message) => {
    const { code, stderr, stdout } = await runCli(["validate"], { cwd: makeProject({ "kindlm.yaml": broken(tools) }) });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(message);
  });

  it.each([
    ["{ name: a }", 'An MCP server needs "command" or "url"'],
    ["{ name: a, command: [x], url: 'http://x' }", '"command" and "url" cannot be combined'],
    ["{ name: a, url: 'http://x', env: {} }", '"env" says nothing about a server with "url"'],
    ["{ name: a, url: 'ftp://x' }", '"ftp://x" is not an HTTP address'],
    ["{ name: a, url: 'http://x', headers: { authorization: 'Bearer abcdefgh1234' } }", "looks like a secret"],
    ["{ name: a, command: [x], per: test }", '"per" must be "trial" or "run"'],
  ])("is found by validate in mcp_servers: %s", async (server, message) => {
    const config = broken("[]").replace("tests: [{", `mcp_servers: [${server}]\n    tests: [{`);
    const { code, stderr, stdout } = await runCli(["validate"], { cwd: makeProject({ "kindlm.yaml": config }) });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(message);
  });

  it.each([
    ["mcp_servers: [{ name: a, command: [x] }]", 0],
    ["tools: [{ module: ./a.js }]", 0],
    ["tools: [{ module: ./a.js, name: other }]", 1],
  ])("lets assertions name tools that only a server or module knows: %s", async (more, code) => {
    const config = scriptedConfig({
      suites: `  - name: s
    ${more}
    tests: [{ name: t, input: go, assert: [{ type: tool_called, tool: from_elsewhere }] }]
`,
    });
    const ran = await runCli(["validate"], { cwd: makeProject({ "kindlm.yaml": config, "a.js": "" }) });
    expect(ran).toMatchObject({ code });
  });
});
