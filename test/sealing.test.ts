import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "./support/make-project.js";
import { runCli } from "./support/run-cli.js";
import { startCli } from "./support/start-cli.js";

/** Each call leaves a line; `charge` does not answer before it may. */
const program = `
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
const [name] = process.argv.slice(2);
let text = "";
for await (const piece of process.stdin) text += piece;
appendFileSync("calls.log", name + "\\n");
if (name === "charge" && !existsSync("answers")) {
  writeFileSync("hanging", "");
  setInterval(() => undefined, 1_000);
} else console.log(JSON.stringify({ done: name }));
`;

function config(assertion: string, attributes = "{ readonly: false, no_effect: false }"): string {
  const tool = (name: string, own: string): string => `      - name: ${name}
        description: Does it
        parameters: { type: object, properties: { order: { type: string } } }
        attributes: ${own}
        command: [node, tool.mjs, ${name}]
        timeout: 60s
`;
  return `version: 1
models:
  - id: m
    provider: scripted
    script:
      rules:
        - { when: { turn: 1 }, reply: { tool_calls: [{ tool: ship, args: { order: A } }] } }
        - { when: { turn: 2 }, reply: { tool_calls: [{ tool: charge, args: { order: A } }] } }
      otherwise: { text: "done: {{last_tool_result}}" }
suites:
  - name: s
    tools:
${tool("ship", "{ readonly: false, no_effect: false }")}${tool("charge", attributes)}
    tests:
      - name: pays
        input: pay
        assert: [${assertion}]
`;
}

interface Report {
  summary: Record<string, number>;
  suites: { tests: { status: string; error: { code: string } | null; trials: { toolCalls: Call[] }[] }[] }[];
}

interface Call {
  tool: string;
  resumed?: string;
  result?: unknown;
  error?: { errorType: string; retryable: boolean } | null;
}

/** Runs until `charge` is under way, kills the run, and goes on with it. */
async function killDuringCharge(written: string): Promise<{ cwd: string; resume(): Promise<Report> }> {
  const cwd = makeProject({ "kindlm.yaml": written, "tool.mjs": program });
  const cli = startCli(["test"], { cwd });
  while (!existsSync(join(cwd, "hanging"))) await new Promise((resolve) => setImmediate(resolve));
  cli.child.kill("SIGKILL");
  await cli.finished;
  return {
    cwd,
    resume: async () => {
      writeFileSync(join(cwd, "answers"), "");
      const ran = await runCli(["test", "--resume", "--reporter", "json"], { cwd });
      return JSON.parse(ran.stdout) as Report;
    },
  };
}

const calls = (cwd: string): string => readFileSync(join(cwd, "calls.log"), "utf8");

describe("a run that is killed during a call with effects", () => {
  it("makes neither the finished call nor the unfinished one again", async () => {
    const { cwd, resume } = await killDuringCharge(config("{ type: tool_called, tool: charge, times: 1 }"));
    const [test] = (await resume()).suites[0]?.tests ?? [];
    expect(calls(cwd)).toBe("ship\ncharge\n");
    expect(test?.status).toBe("passed");
    const [ship, charge] = test?.trials[0]?.toolCalls ?? [];
    expect(ship).toMatchObject({ tool: "ship", resumed: "answered_before", result: { done: "ship" } });
    expect(charge).toMatchObject({
      tool: "charge",
      resumed: "sealed",
      error: { errorType: "aborted", retryable: false },
    });
  });

  it("blames no agent for what it made of that, and runs the trial afresh when asked again", async () => {
    const { cwd, resume } = await killDuringCharge(config('{ type: contains, value: \'"done":"charge"\' }'));
    const [test] = (await resume()).suites[0]?.tests ?? [];
    expect(test).toMatchObject({ status: "errored", error: { code: "ENGINE_ABORTED" } });
    expect(calls(cwd)).toBe("ship\ncharge\n");
    expect((await resume()).summary).toMatchObject({ passed: 1 });
    expect(calls(cwd)).toBe("ship\ncharge\nship\ncharge\n");
  });

  it("makes calls without effects again", async () => {
    const { cwd, resume } = await killDuringCharge(
      config('{ type: contains, value: \'"done":"charge"\' }', "{ readonly: true, no_effect: true }"),
    );
    expect((await resume()).summary).toMatchObject({ passed: 1 });
    expect(calls(cwd)).toBe("ship\ncharge\ncharge\n");
  });
});

describe("a run that is interrupted during a call with effects", () => {
  it("does not make it again either", async () => {
    const cwd = makeProject({
      "kindlm.yaml": config("{ type: tool_called, tool: charge, times: 1 }"),
      "tool.mjs": program,
    });
    const cli = startCli(["test"], { cwd });
    while (!existsSync(join(cwd, "hanging"))) await new Promise((resolve) => setImmediate(resolve));
    cli.child.kill("SIGINT");
    expect((await cli.finished).code).toBe(1);
    const ran = await runCli(["test", "--resume", "--reporter", "json"], { cwd });
    const [test] = (JSON.parse(ran.stdout) as Report).suites[0]?.tests ?? [];
    expect(calls(cwd)).toBe("ship\ncharge\n");
    expect(test?.trials[0]?.toolCalls[1]).toMatchObject({ tool: "charge", error: { errorType: "aborted" } });
  });
});
