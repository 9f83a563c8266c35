import { onTestFinished, describe, expect, it } from "vitest";
import { scriptedConfig } from "../../packages/core/src/__fixtures__/scripted-config.js";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../../packages/core/src/__fixtures__/shared-modules.js";
import { mcpFakeServer } from "../support/mcp-fake-server.js";
import { reportErrors } from "../support/report-errors.js";
import { runCli } from "../support/run-cli.js";
import { refusedUrl, startServer } from "../../packages/core/src/__fixtures__/start-server.js";

interface Report {
  summary: { toolErrors: object; toolFallbacks?: Record<string, number>; failures: { tool: number } };
  suites: {
    tests: {
      name: string;
      status: string;
      error: { code: string; message: string } | null;
      toolFallbacks?: number;
      trials: {
        toolCalls: { tool: string; result: unknown; fallback?: { by: string; reason: { message: string } } }[];
      }[];
    }[];
  }[];
}

const files = {
  "tools.mjs": `export const quote = () => { throw new Error("market closed"); };
    export const list = [{ name: "one", input_schema: { type: "object" }, attributes: {}, exec: () => { throw new Error("gone"); } }];`,
  "server.cjs": mcpFakeServer,
};

const calls = ["quote", "one", "stock, args: { sku: A-1 }", "customer, args: { id: 7 }", "crash", "hang"];
const rules = `[{ when: { turn: 1 }, reply: { tool_calls: [${calls.map((call) => `{ tool: ${call} }`).join(", ")}] } }]`;

const suite = (url: string, tests: string): string => `  - name: s
    mcp_servers:
      - name: fake
        command: [node, ./server.cjs]
        timeout: 100ms
        include: [crash, hang, fine]
        fallback:
          - { tool: "cr*", return: { from: "the {{row.where}}" } }
          - { tool: "*", on: [aborted, runtime], responses: [{ when: { x: 1 }, return: 1 }], default: { return: later } }
    tools:
      - { module: ./tools.mjs#quote, name: quote, fallback: { return: { price: 10 } } }
      - { module: ./tools.mjs#list, fallback: { last_value: true } }
      - { name: stock, command: [./no-such-program], fallback: { return: { sku: "{{args.sku}}", stock: null } } }
      - name: customer
        url: ${url}/customers/{{args.id}}
        fallback:
          responses: [{ when: { id: { $gt: 5 } }, return: { name: Ada, id: "{{args.id}}" } }]
          default: { error: { type: logical, message: no such customer } }
    tests:
${tests}`;

const test = (more: string): string =>
  `      - { name: t, input: go, rows: [{ id: r, where: cache }], assert: [{ type: turns, min: 0 }${more}] }`;

async function run(url: string, tests: string, args: readonly string[] = ["--reporter", "json"]) {
  const cwd = makeProject({ "kindlm.yaml": scriptedConfig({ rules, suites: suite(url, tests) }), ...files });
  return runCli(["test", ...args], { cwd, openModules: sharedModules });
}

describe("the fallback of a real tool", () => {
  it("answers for tools of every kind that are down, and is labelled wherever one looks", async () => {
    const url = await refusedUrl();
    const { stdout, code } = await run(
      url,
      test(", { type: no_tool_errors, tool: [quote, stock, customer, crash, hang] }"),
    );
    const { summary, suites } = JSON.parse(stdout) as Report;
    expect(reportErrors(JSON.parse(stdout))).toEqual([]);
    const [result] = suites[0]?.tests ?? [];
    const told = result?.trials[0]?.toolCalls.map(({ tool, result: value, fallback }) => [tool, value, fallback?.by]);
    expect(told).toEqual([
      ["quote", { price: 10 }, "answer"],
      ["one", null, undefined],
      ["stock", { sku: "A-1", stock: null }, "answer"],
      ["customer", { name: "Ada", id: 7 }, "answer"],
      ["crash", { from: "the cache" }, "answer"],
      ["hang", "later", "answer"],
    ]);
    const reasons = result?.trials[0]?.toolCalls.flatMap(({ fallback }) => fallback?.reason.message ?? []) ?? [];
    expect(reasons[0]).toBe("market closed");
    expect(result).toMatchObject({ status: "passed", toolFallbacks: 5 });
    expect(summary).toMatchObject({
      toolErrors: { runtime: 1 },
      toolFallbacks: { quote: 1, stock: 1, customer: 1, crash: 1, hang: 1 },
      failures: { tool: 6 },
    });
    expect(code).toBe(0);
  });

  it("may be forbidden by a test", async () => {
    const more = ", { type: no_tool_errors, tool: quote, allow_fallback: false }";
    const { stdout, code } = await run(await refusedUrl(), test(more), ["--verbose", "--reporter", "pretty"]);
    expect(stdout).toContain("5 tool calls answered by a tool's fallback");
    const words = stdout.replaceAll(/\s+/g, " ");
    expect(words).toContain('quote() failed in turn 1 with a runtime error: "market closed"');
    expect(words).toMatch(/agent quote \S+ s kindlm answered by its fallback after: market closed \S+ s tool price 10/);
    expect(stdout).toContain("quote was answered by its fallback (runtime error: market closed)");
    expect(stdout).toContain(" · 5 tool fallbacks");
    expect(code).toBe(1);
  });

  it("gives the last value of the same call when the service goes down in the course of the run", async () => {
    let asked = 0;
    const server = await startServer((_, response) => {
      asked += 1;
      response.writeHead(asked === 1 ? 200 : 503, { "content-type": "application/json" });
      response.end(asked === 1 ? '{"rate": 1.1}' : "down for maintenance");
    });
    onTestFinished(() => server.close());
    const suites = `  - name: s
    runs: 3
    tools: [{ name: rate, url: ${server.url}, fallback: { last_value: true, return: none } }]
    tests:
      - { name: t, input: go, assert: [{ type: tool_called, tool: rate, result: { rate: 1.1 } }] }`;
    const ask = "[{ when: { turn: 1 }, reply: { tool_calls: [{ tool: rate, args: { to: EUR } }] } }]";
    const config = scriptedConfig({ rules: ask, suites, more: "defaults: { concurrency: 1 }" });
    const cwd = makeProject({ "kindlm.yaml": config });
    const { stdout, code } = await runCli(["test", "--reporter", "json"], { cwd });
    const [result] = (JSON.parse(stdout) as Report).suites[0]?.tests ?? [];
    const by = result?.trials.flatMap(({ toolCalls }) => toolCalls.map(({ fallback }) => fallback?.by));
    expect([code, by]).toEqual([0, [undefined, "last_value", "last_value"]]);
  });

  it("has to name a tool that the server has", async () => {
    const suites = `  - name: s
    mcp_servers: [{ name: fake, command: [node, ./server.cjs], fallback: [{ tool: crush, return: 1 }] }]
    tests: [{ name: t, input: go, assert: [{ type: turns, min: 0 }] }]`;
    const cwd = makeProject({ "kindlm.yaml": scriptedConfig({ suites }), ...files });
    const { stdout } = await runCli(["test", "--reporter", "json"], { cwd });
    expect((JSON.parse(stdout) as Report).suites[0]?.tests[0]?.error).toMatchObject({
      code: "ENGINE_FIXTURE_ERROR",
      message: 'The MCP server "fake" has no tool "crush". Did you mean "crash"?',
    });
  });

  it.each([
    ["tools: [{ name: a, fallback: { return: 1 }, default: { return: 1 } }]", '"fallback" is for real tools'],
    ["tools: [{ name: a, command: [x], fallback: { return: '{{arg.x}}' } }]", "Unknown placeholder {{arg.x}}"],
    [
      "tools: [{ name: a, command: [x], fallback: { default: { error: { message: '{{city}}' } } } }]",
      "Unknown placeholder {{city}}",
    ],
    [
      "tools: [{ name: a, command: [x], fallback: { responses: [{ when: { a: '{{args.x}}' }, return: 1 }] } }]",
      "Unknown placeholder {{args.x}}",
    ],
    ["tools: [{ name: a, command: [x], fallback: { return: '{{state.x}}' } }]", 'The state has no "x"'],
    [
      "tools: [{ name: a, command: [x], attributes: { no_effect: true }, fallback: { default: { return: 1, set: { a: 1 } } } }]",
      "The tool is no_effect",
    ],
    [
      "mcp_servers: [{ name: a, command: [x], fallback: [{ tool: a, return: '{{no}}' }] }]",
      "Unknown placeholder {{no}}",
    ],
    ["mcp_servers: [{ name: a, command: [x], fallback: [{ return: 1 }] }]", '"tool" is missing'],
    ["tools: [{ name: a, command: [x], falback: { return: 1 } }]", 'Unknown key "falback"'],
  ])("is looked at by validate: %s", async (written, message) => {
    const suites = `  - name: s\n    ${written}\n    tests: [{ name: t, input: go, assert: [{ type: turns, min: 0 }] }]`;
    const cwd = makeProject({ "kindlm.yaml": scriptedConfig({ suites }) });
    const { code, stdout, stderr } = await runCli(["validate"], { cwd });
    expect(stdout + stderr).toContain(message);
    expect(code).toBe(1);
  });

  it("is looked at where a test has a server of its own", async () => {
    const suites = `  - name: s
    tests:
      - name: t
        input: go
        assert: [{ type: turns, min: 0 }]
        mcp_servers: [{ name: a, command: [x], fallback: [{ tool: a, return: "{{no}}" }] }]`;
    const { code, stdout, stderr } = await runCli(["validate"], {
      cwd: makeProject({ "kindlm.yaml": scriptedConfig({ suites }) }),
    });
    expect(stdout + stderr).toMatch(/Unknown placeholder \{\{no\}\}[^]*kindlm\.yaml:11/);
    expect(code).toBe(1);
  });
});
