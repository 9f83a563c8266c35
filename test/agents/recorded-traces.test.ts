import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { repository, runCli } from "../support/run-cli.js";
import { scoreTrace, tracedConfig } from "../support/score-trace.js";

const otel = [
  "@opentelemetry/api@1.9.1",
  "@opentelemetry/sdk-trace-base@2.12.1",
  "@opentelemetry/sdk-trace-node@2.12.0",
  "@opentelemetry/exporter-trace-otlp-http@0.223.1",
  "@opentelemetry/exporter-trace-otlp-proto@0.223.1",
  "zod@4",
];

const langgraphAgents = {
  name: "langgraph-agents",
  spans: "spans.pb",
  packages: [
    "@langchain/core@1.4.0",
    "@langchain/langgraph@1.7.3",
    "@langchain/openai@1.5.8",
    "@arizeai/openinference-instrumentation-langchain@4.1.1",
  ],
};

const exporters = [
  {
    name: "openai-agents",
    spans: "spans.jsonl",
    packages: ["@openai/agents@0.20.0", "@arizeai/openinference-instrumentation-openai-agents@0.2.15", "openai@6.49.0"],
  },
  {
    name: "langchain",
    spans: "spans.pb",
    packages: [
      "@langchain/core@1.4.0",
      "@langchain/langgraph@1.7.3",
      "@langchain/openai@1.5.8",
      "@arizeai/openinference-instrumentation-langchain@4.1.1",
    ],
  },
  langgraphAgents,
  { name: "ai-sdk", spans: "spans.jsonl", packages: ["ai@6.0.326", "@ai-sdk/openai@3.0.141"] },
];

/**
 * Installs what a recorder needs, once, and runs it: it leaves its spans and the conversation of its model. The files in
 * test/fixtures/traces are copies of them.
 */
function record({ name, packages }: (typeof exporters)[number]): string {
  const place = join(repository, "node_modules", ".cache", "kindlm-agents", `traces-${name}`);
  mkdirSync(place, { recursive: true });
  cpSync(join(repository, "test", "fixtures", "trace-recorders"), place, { recursive: true });
  if (!existsSync(join(place, "node_modules"))) {
    writeFileSync(join(place, "package.json"), '{ "private": true, "type": "module" }');
    const args = ["install", "--no-audit", "--no-fund", ...otel, ...packages];
    execFileSync("npm", args, { cwd: place, stdio: "pipe" });
  }
  // The Agents SDK traces nothing in tests.
  const env = { PATH: process.env["PATH"] ?? "" };
  execFileSync("node", [`${name}.mjs`], { cwd: place, stdio: "pipe", env: { ...env, OPENAI_API_KEY: "none" } });
  return place;
}

describe.each(exporters)("$name", (one) => {
  it("writes spans that give the same verdicts as the conversation of its model", async () => {
    const place = record(one);
    const spans = readFileSync(join(place, one.spans));
    const transcript = readFileSync(join(place, "transcript.jsonl"));
    const traced = await scoreTrace(tracedConfig, { [one.spans]: spans }, "refund");
    const told = await scoreTrace(tracedConfig, { "transcript.jsonl": transcript });
    expect(traced).toEqual(told);
  });
});

it("assigns the spans of an unmodified SDK to the trial that started it", async () => {
  const place = record(langgraphAgents);
  const cwd = makeProject({
    "kindlm.yaml": `version: 1
suites:
  - name: orders
    target: { command: [node, ${JSON.stringify(join(place, "langgraph-agents.mjs"))}], traces: true }
    tests:
      - name: refund
        input: Refund order ORD-7, please
        assert:
          - { type: hands_off_to, to: billing, from: triage, times: 1 }
          - { type: tool_called, tool: lookup_order, agent: billing, result: { status: delivered } }
          - { type: tool_not_called, tool: refund, agent: triage }
          - { type: turns, min: 4, max: 4 }
          - { type: contains, value: expired }
`,
  });
  const { code, stdout } = await runCli(["test", "--no-journal"], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", OPENAI_API_KEY: "none" },
  });
  expect([code, stdout]).toEqual([0, expect.stringContaining("1 passed")]);
});
