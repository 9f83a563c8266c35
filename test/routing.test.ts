import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { fileOn } from "./support/docs/pages.js";
import { repository, runCli } from "./support/run-cli.js";

const server = readFileSync(join(repository, "examples", "mcp-server", "server.mjs"), "utf8");
/** One server is enough for all trials. */
const config = fileOn("docs/mcp-tools.md", "kindlm.yaml").replace("server.mjs]", "server.mjs], per: run");
const env = { PATH: process.env["PATH"] ?? "" };

interface Reported {
  routing?: unknown;
  suites: {
    tests: { id: string; status: string; routes?: unknown; trials: { assertions: { message: string }[] }[] }[];
  }[];
}

describe("the routing of the page", () => {
  let cwd = "";
  beforeAll(async () => {
    cwd = makeProject({ "kindlm.yaml": config, "server.mjs": server });
    const { code } = await runCli(["test"], { cwd, env });
    expect(code).toBe(1);
  });
  const report = async (name: string) => (await runCli(["report", "--reporter", name], { cwd, env })).stdout;

  it("is in the JSON report, with the routes of each case", async () => {
    const { routing, suites } = JSON.parse(await report("json")) as Reported;
    expect(routing).toEqual([
      {
        suite: "routing",
        trials: 4,
        right: 3,
        rows: [
          { expected: "read_note", trials: 1, right: 1, called: [{ tool: "read_note", trials: 1 }] },
          {
            expected: "write_note",
            trials: 2,
            right: 1,
            called: [
              { tool: "read_note", trials: 1 },
              { tool: "write_note", trials: 1 },
            ],
          },
          { expected: "none", trials: 1, right: 1, called: [{ tool: "none", trials: 1 }] },
        ],
      },
    ]);
    const [first] = suites[0]?.tests ?? [];
    expect(first?.routes).toEqual([{ expected: "read_note", called: "read_note", trials: 1 }]);
  });

  it("is a table in Markdown and HTML", async () => {
    const markdown = await report("markdown");
    expect(markdown).toContain("### Routing of <code>routing</code>\n\n3 of 4 requests led to the right tool\n");
    expect(markdown).toContain("| <code>write&#95;note</code> | 1 | 1 | · | 50% |");
    const html = await report("html");
    expect(html).toContain("Routing of routing: 3 of 4 requests led to the right tool");
    expect(html).toContain("<td>write_note</td><td>1</td><td>1</td><td>·</td><td>50%</td>");
  });
});

describe("routes_to", () => {
  const run = async (assertion: string, calls: string) => {
    const text = `version: 1
models: [{ id: m, provider: scripted, script: { rules: [{ when: { turn: 1 }, reply: ${calls} }], otherwise: { text: done } } }]
suites:
  - name: s
    tools: [{ name: a, default: { return: 1 } }, { name: b, default: { return: 1 } }]
    tests: [{ name: t, input: hi, assert: [${assertion}] }]
`;
    const { stdout } = await runCli(["test", "--reporter", "json", "--verbose"], {
      cwd: makeProject({ "kindlm.yaml": text }),
      env,
    });
    const [test] = (JSON.parse(stdout) as Reported).suites[0]?.tests ?? [];
    return [test?.status, test?.trials[0]?.assertions[0]?.message];
  };
  const both = "{ tool_calls: [{ tool: b, args: {} }, { tool: a, args: {} }] }";

  it.each([
    ["{ type: routes_to, tool: b }", both, ["passed", "The request led to b"]],
    [
      "{ type: routes_to, tool: a }",
      both,
      ["failed", 'Expected the request to lead to "a", but the calls were b and a'],
    ],
    ["{ type: routes_to, tool: a, match: any }", both, ["passed", "The request led to a"]],
    ["{ type: routes_to, tool: b, never: [a] }", both, ["failed", 'Expected "a" not to be called, but it was']],
    ["{ type: routes_to, tool: none }", both, ["failed", "Expected no tool to be called, but the calls were b and a"]],
    ["{ type: routes_to, tool: none }", "{ text: hi }", ["passed", "No tool was called"]],
    [
      "{ type: routes_to, tool: a }",
      "{ text: hi }",
      ["failed", 'Expected the request to lead to "a", but no tool was called'],
    ],
  ])("%s after %s", async (assertion, calls, expected) => {
    expect(await run(assertion, calls)).toEqual(expected);
  });
});
