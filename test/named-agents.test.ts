import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { afterFile } from "../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { repository, runCli } from "./support/run-cli.js";
import { scoredCase } from "./support/score-trace.js";

const env = { PATH: process.env["PATH"] ?? "" };

const lines = (...messages: object[]): string => messages.map((one) => `${JSON.stringify(one)}\n`).join("");

/** Triage looks the order up with a tool of the test, and billing pays. */
const agents = `process.stdin.on("data", (data) => {
  if (String(data).includes('"user"')) process.stdout.write(${JSON.stringify(
    lines(
      { type: "text", text: "I connect you to billing.", agent: "triage" },
      { type: "tool_call", id: "c0", tool: "lookup_order", args: { id: "ORD-7" } },
    ),
  )});
  if (String(data).includes('"tool_result"')) process.stdout.write(${JSON.stringify(
    lines(
      { type: "tool_call", id: "c1", tool: "issue_refund", args: { id: "ORD-7" }, result: "paid", agent: "billing" },
      { type: "text", text: "The order is " },
      { type: "text", text: "refunded." },
      { type: "done" },
    ),
  )});
});
`;

const config = (assertions: readonly string[]) => `version: 1
suites:
  - name: support
    target: { command: [node, agents.mjs], protocol: json_lines }
    tools: [{ name: lookup_order, default: { return: delivered } }]
    tests:
      - name: refund
        input: Refund order ORD-7
        assert:
${assertions.map((one) => `          - ${one}\n`).join("")}`;

describe("agents that a program names", () => {
  it("are looked at one by one, and their hand-offs are seen", async () => {
    const cwd = makeProject({
      "agents.mjs": agents,
      "kindlm.yaml": config([
        "{ type: hands_off_to, to: billing, from: triage, times: 1 }",
        "{ type: tool_called, tool: issue_refund, agent: billing }",
        "{ type: tool_called, tool: lookup_order, agent: triage, result: delivered }",
        "{ type: tool_not_called, tool: issue_refund, agent: triage }",
        "{ type: equals, value: I connect you to billing., agent: triage }",
        "{ type: equals, value: The order is refunded. }",
        "{ all_of: [{ type: contains, value: refunded }, { type: max_tool_calls, max: 1 }], agent: billing }",
        "{ type: tool_called, tool: issue_refund, agent: biling }",
        "{ type: tool_not_called, tool: issue_refund, agent: sales }",
      ]),
    });
    const { stdout } = await runCli(["test", "--reporter", "json", "--verbose"], { cwd, env });
    const [test] = (
      JSON.parse(stdout) as {
        suites: { tests: { assertions: { pass: boolean; message: string }[]; trials: { toolCalls: object[] }[] }[] }[];
      }
    ).suites.flatMap(({ tests }) => tests);
    expect(test?.assertions.map(({ pass }) => pass)).toEqual([true, true, true, true, true, true, true, false, true]);
    expect(test?.assertions[7]?.message).toContain(
      'Agent "biling" did nothing (agents: triage, billing. Did you mean "billing"?): Expected tool "issue_refund"',
    );
    expect(test?.assertions[8]?.message).toContain('Agent "sales" did nothing (agents: triage, billing): ');
    expect(test?.trials[0]?.toolCalls).toMatchObject([
      { tool: "lookup_order", agent: "triage" },
      { tool: "issue_refund", agent: "billing" },
    ]);
    const shown = await runCli(["show", "refund"], { cwd, env });
    expect(shown.stdout).toMatch(
      /agent +triage: I connect you to billing\.[^\n]*\n.*agent +triage: lookup_order +id "ORD-7"/,
    );
    expect(shown.stdout).toMatch(/agent +billing: issue_refund[^]*agent +billing: The order is refunded\./);
    const markdown = await runCli(["report", "--reporter", "markdown"], { cwd, env });
    expect(markdown.stdout).toContain("billing: issue_refund");
  });

  it("must be known for an assertion about one of them", async () => {
    const cwd = makeProject({
      "agents.mjs": agents.replaceAll(/,\\"agent\\":\\"\w+\\"/g, ""),
      "kindlm.yaml": config(["{ type: tool_not_called, tool: issue_refund, agent: triage }"]),
    });
    const { code, stdout } = await runCli(["test", "--no-journal"], { cwd, env });
    expect([code, stdout]).toEqual([1, expect.stringContaining("names no agents")]);
  });

  it("are named by from and to in a hand-off", async () => {
    const cwd = makeProject({
      "agents.mjs": "",
      "kindlm.yaml": config(["{ type: hands_off_to, to: billing, agent: triage }"]),
    });
    const { stderr } = await runCli(["validate"], { cwd, env });
    expect(stderr).toContain('"hands_off_to" is about several agents, so it cannot look at one alone');
  });
});

const fixture = (name: string): Buffer => readFileSync(join(repository, "test", "fixtures", "traces", name));

const handedOver = `version: 1
suites:
  - name: orders
    target: { command: [node, agent.mjs] }
    tests:
      - name: refund
        input: Refund order ORD-7, please
        assert:
          - { type: hands_off_to, to: billing, from: triage, times: 1 }
          - { type: tool_called, tool: lookup_order, agent: billing }
          - { type: tool_not_called, tool: refund, agent: triage }
`;

it.each([
  ["the OpenAI Agents SDK", "openai-agents.spans.jsonl", "spans.jsonl"],
  ["LangGraph", "langgraph-agents.spans.pb.gz", "spans.pb.gz"],
])("are those of the spans of %s", async (_, name, file) => {
  const { status, assertions, trials } = await scoredCase(handedOver, { [file]: fixture(name) }, "refund");
  expect([status, assertions.map(({ message }) => message)]).toEqual(["passed", expect.any(Array)]);
  expect(trials[0]?.toolCalls?.find(({ tool }) => tool === "lookup_order")).toMatchObject({ agent: "billing" });
});

interface A2aRequest {
  jsonrpc: string;
  id: number;
  method: string;
  params: { message: { messageId: string; contextId: string; role: string; parts: { text: string }[] } };
}

/** The agent of the page on A2A agents: version 1.0 of the protocol over JSON-RPC. */
function startA2aAgent(requests: A2aRequest[]) {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const request = JSON.parse(Buffer.concat(chunks).toString("utf8")) as A2aRequest;
      requests.push(request);
      const { method, id, params } = request;
      const reply = (body: object): void => {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
      };
      if (method !== "SendMessage" || incoming.headers["a2a-version"] !== "1.0") {
        return reply({ error: { code: -32_601, message: "Method not found" } });
      }
      const [part] = params.message.parts;
      const text = part?.text.startsWith("When") === true ? "On 2026-01-02." : "It was delivered.";
      const task = {
        id: `task-${requests.length}`,
        contextId: "context-of-the-agent",
        status: { state: "TASK_STATE_COMPLETED" },
        artifacts: [{ artifactId: "a1", parts: [{ text }] }],
      };
      return reply({ result: { task } });
    });
  });
  afterFile(() => void server.close());
  return new Promise<string>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/a2a`));
  });
}

it("talks with an A2A agent as its page says", async () => {
  const page = readFileSync(join(repository, "docs", "a2a.md"), "utf8");
  const [, yaml = ""] = /```yaml file=kindlm\.yaml\n([^]*?)```/.exec(page) ?? [];
  const requests: A2aRequest[] = [];
  const url = await startA2aAgent(requests);
  const cwd = makeProject({ "kindlm.yaml": yaml });
  const { code, stdout } = await runCli(["test", "--no-journal"], { cwd, env: { A2A_URL: url } });
  expect([code, stdout]).toEqual([0, expect.stringContaining("1 passed")]);
  const [first, second] = requests.map(({ params }) => params.message);
  expect(first?.role).toBe("ROLE_USER");
  expect(second?.contextId).toBe("context-of-the-agent");
  expect(first?.messageId).toMatch(/^[0-9a-f-]{36}$/);
  expect(second?.messageId).not.toBe(first?.messageId);
});
