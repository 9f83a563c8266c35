import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "./support/make-project.js";
import { repository, runCli } from "./support/run-cli.js";
import { startCli } from "./support/start-cli.js";

const shopAgent = join(repository, "test", "fixtures", "agents", "shop-agent.mjs");

interface Report {
  suites: {
    tests: {
      id: string;
      status: string;
      error: { code: string; message: string; details?: Record<string, unknown> } | null;
      trials: {
        output: string;
        attempts: number;
        toolCalls: { tool: string; args: unknown; result?: unknown; error: { errorType: string } | null }[];
      }[];
    }[];
  }[];
}

async function reportOf(cwd: string, env: Record<string, string> = {}) {
  const ran = await runCli(["test", "--reporter", "json"], { cwd, env });
  const report = JSON.parse(ran.stdout) as Report;
  return { ran, tests: report.suites.flatMap((suite) => suite.tests) };
}

/** The processes whose command line holds the word, but for those that have ended. */
function alive(word: string): string[] {
  const listed = execFileSync("ps", ["-eo", "stat=,args="], { encoding: "utf8" });
  return listed.split("\n").filter((line) => line.includes(word) && !line.startsWith("Z") && !line.includes("ps -eo"));
}

describe("an agent on the AI SDK, as it is", () => {
  const config = (faults = "", more = ""): string => `version: 1
models:
  - id: offline
    provider: scripted
    script:
      rules:
        - when: { turn: 1 }
          reply: { text: "Let me look.", tool_calls: [{ tool: lookup_order, args: { order_id: ORD-1 } }, { tool: add, args: { a: 1, b: 2 } }] }
${more}      otherwise: { text: "It was delivered." }
suites:
  - name: shop
    target: { command: [node, ${JSON.stringify(shopAgent)}], proxy: true }
    tools:
      - name: lookup_order
        parameters: { type: object, properties: { order_id: { type: string } }, required: [order_id] }
        responses: [${faults}]
        default: { return: { status: delivered } }
    tests:
      - name: at-once
        input: "Where is ORD-1?"
        assert:
          - { type: equals, value: "It was delivered." }
          - { type: tool_called, tool: lookup_order, args: { order_id: ORD-1 }, result: { status: delivered }, times: 1 }
          - { type: tool_called, tool: add, args: { a: 1 }, result: { sum: 3 }, times: 1 }
      - name: in-pieces
        target: { command: [node, ${JSON.stringify(shopAgent)}, --stream], proxy: true }
        input: "Where is ORD-1?"
        assert: &calls
          - { type: contains, value: "It was delivered." }
          - { type: tool_calls, mode: in_order, calls: [{ tool: lookup_order }, { tool: add, result: { sum: 3 } }] }
      - name: chat
        target: { command: [node, ${JSON.stringify(shopAgent)}, --chat], proxy: true }
        input: "Where is ORD-1?"
        assert: *calls
      - name: chat-in-pieces
        target: { command: [node, ${JSON.stringify(shopAgent)}, --chat, --stream], proxy: true }
        input: "Where is ORD-1?"
        assert: *calls
`;

  it("is tested with simulated tools, streaming or not, through either API", async () => {
    const { ran, tests } = await reportOf(makeProject({ "kindlm.yaml": config() }));
    expect(tests.map(({ id, status, error }) => [id, status, error])).toEqual([
      ["shop/at-once@offline", "passed", null],
      ["shop/in-pieces@offline", "passed", null],
      ["shop/chat@offline", "passed", null],
      ["shop/chat-in-pieces@offline", "passed", null],
    ]);
    expect(tests.map(({ trials }) => trials[0]?.attempts)).toEqual([2, 2, 2, 2]);
    expect(ran.code).toBe(0);
  });

  it("meets the failures that the test puts into its tools", async () => {
    const fault = `{ times: 1, error: { type: runtime, message: "upstream timed out" } }`;
    const again = `        - when: { turn: 2 }
          reply: { tool_calls: [{ tool: lookup_order, args: { order_id: ORD-1 } }] }\n`;
    const { tests } = await reportOf(makeProject({ "kindlm.yaml": config(fault, again) }));
    const calls = tests[0]?.trials[0]?.toolCalls.map(({ tool, error }) => [tool, error?.errorType ?? null]);
    expect(calls).toEqual([
      ["lookup_order", "runtime"],
      ["add", null],
      ["lookup_order", null],
    ]);
  });

  it("is not blamed for a provider that is down", async () => {
    const written = config().replace(/otherwise: .*/, "otherwise: { error: { status: 400 } }");
    const { ran, tests } = await reportOf(makeProject({ "kindlm.yaml": written }));
    expect(tests[0]).toMatchObject({ status: "errored", error: { code: "PROVIDER_API_ERROR" } });
    expect(ran.code).toBe(1);
  });

  it("shows nobody the key that it was given", async () => {
    const written = config().replace("[node, ", `[sh, -c, 'env; exec node "$0"', `);
    const cwd = makeProject({ "kindlm.yaml": written });
    const ran = await runCli(["test", "--verbose", "--reporter", "json"], { cwd });
    expect(ran.stdout).toContain("OPENAI_BASE_URL=http://127.0.0.1:");
    expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/sk-kindlm-[0-9a-f]/);
  });
});

describe("an agent that knows nothing of KindLM", () => {
  const agent = join(repository, "test", "fixtures", "agents", "payment-agent.mjs");
  const config = (proxy: string): string => `version: 1
models:
  - id: stubborn
    provider: scripted
    script:
      rules:
        - when: { turn: 1 }
          reply: { tool_calls: [{ tool: today, args: {} }, { tool: pay, args: { invoice: I-7 } }] }
        - when: { turn: 2, last_tool_result: { $regex: "card declined|2026" } }
          reply: { tool_calls: [{ tool: pay, args: { invoice: I-7 } }] }
      otherwise: { text: "Paid." }
suites:
  - name: payments
    target: { command: [node, ${JSON.stringify(agent)}], proxy: ${proxy} }
    tools:
      - name: pay
        parameters: { type: object, properties: { invoice: { type: string } }, required: [invoice] }
        default: { return: { paid: true } }
    faults: [{ tool: pay, kind: error, call: 1, error: { type: logical, message: card declined, retryable: false } }]
    assert: [{ type: no_blind_retry, tool: pay }]
    tests:
      - { name: responses, input: "Pay I-7" }
      - { name: chat, target: { command: [node, ${JSON.stringify(agent)}, --chat], proxy: ${proxy} }, input: "Pay I-7" }
`;

  it("is found to repeat a failed payment, and pays nothing while it is tested", async () => {
    const cwd = makeProject({ "kindlm.yaml": config("{ run_tools: true }") });
    const { ran, tests } = await reportOf(cwd);
    expect(tests.map(({ id, status, error }) => [id, status, error])).toEqual([
      ["payments/responses@stubborn", "failed", null],
      ["payments/chat@stubborn", "failed", null],
    ]);
    for (const { trials } of tests) {
      expect(trials[0]?.toolCalls.map(({ tool, result, error }) => [tool, result, error?.errorType ?? null])).toEqual([
        ["today", { date: "2026-01-31" }, null],
        ["pay", null, "logical"],
        ["pay", { paid: true }, null],
      ]);
      expect(trials[0]?.output).toBe("Paid.");
    }
    expect(existsSync(join(cwd, "payments.txt"))).toBe(false);
    expect(ran.code).toBe(1);
  });

  it("runs its own tools without run_tools, so that the fault meets none", async () => {
    const cwd = makeProject({ "kindlm.yaml": config("true") });
    const { tests } = await reportOf(cwd);
    const why = 'The fault "error:pay" never fired: the agent ran its own pay, which no fault reaches';
    const error = { code: "ENGINE_FIXTURE_ERROR", message: why };
    expect(tests).toMatchObject([
      { status: "errored", error },
      { status: "errored", error },
    ]);
    expect(readFileSync(join(cwd, "payments.txt"), "utf8")).toBe("I-7\n".repeat(2));
  });
});

describe("a program that will not end", () => {
  /** Ignores SIGTERM, as does what it starts, which starts more. */
  const stubborn = (word: string): string => `
    import { spawn } from "node:child_process";
    process.on("SIGTERM", () => {});
    const child = "process.on('SIGTERM', () => {}); require('node:child_process').spawn(process.execPath, ['-e', \\"process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)\\", '${word}-grandchild'], { stdio: 'inherit' }).on('spawn', () => console.error('grandchild runs')); setInterval(() => {}, 1000)";
    spawn(process.execPath, ["-e", child, "${word}-child"], { stdio: "inherit" });
    setInterval(() => {}, 1000);`;
  const config = (word: string, protocol: string, trial: string): string => `version: 1
timeouts: { trial: ${trial} }
suites:
  - name: s
    target: { command: [node, agent.mjs, ${word}], protocol: ${protocol} }
    tests:
      - { name: t, input: hi, assert: [{ type: contains, value: x }] }
`;

  it.each(["plain", "json_lines"])(
    "is gone within 2 s after its timeout, with all that it started (%s)",
    async (protocol) => {
      const word = `stubborn-${protocol}-${process.pid}`;
      const cwd = makeProject({ "kindlm.yaml": config(word, protocol, "2s"), "agent.mjs": stubborn(word) });
      const { ran, tests } = await reportOf(cwd);
      expect(tests[0]).toMatchObject({
        status: "errored",
        error: { code: "ENGINE_TIMEOUT", details: { scope: "trial", stderr: "grandchild runs\n" } },
      });
      expect(ran.code).toBe(1);
      expect(alive(word)).toEqual([]);
    },
  );

  it("is gone when the run is interrupted", async () => {
    const word = `interrupted-${process.pid}`;
    const cwd = makeProject({
      "kindlm.yaml": config(word, "plain", "1m"),
      "agent.mjs": `${stubborn(word)}\nimport { writeFileSync } from "node:fs"; writeFileSync("started", "");`,
    });
    const cli = startCli(["test"], { cwd });
    while (!existsSync(join(cwd, "started")) || alive(`${word}-grandchild`).length === 0) {
      await new Promise((resolve) => void setImmediate(resolve));
    }
    cli.child.kill("SIGINT");
    const ended = await cli.finished;
    expect(ended.code).toBe(1);
    expect(alive(word)).toEqual([]);
  });

  it("is not waited for after an interruption when it had time to leave, so that there is a report", async () => {
    const word = `leaving-${process.pid}`;
    const agent = `import { writeFileSync } from "node:fs";
      import { createInterface } from "node:readline";
      process.on("SIGTERM", () => {});
      setInterval(() => {}, 1000);
      const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
      for await (const line of createInterface({ input: process.stdin })) {
        if (JSON.parse(line).type === "user") say({ type: "text", text: "x" }), say({ type: "done" });
      }
      writeFileSync("leaving", "");`;
    const cwd = makeProject({ "kindlm.yaml": config(word, "json_lines", "1m"), "agent.mjs": agent });
    const cli = startCli(["test"], { cwd });
    while (!existsSync(join(cwd, "leaving"))) await new Promise((resolve) => void setImmediate(resolve));
    cli.child.kill("SIGINT");
    const ended = await cli.finished;
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("Interrupted: these results are partial.");
    expect(alive(word)).toEqual([]);
  });
});

describe("kindlm", () => {
  const config = `version: 1
models: [{ id: a, provider: scripted, script: { otherwise: { text: hi } } }, { id: b, provider: scripted, script: { otherwise: { text: hi } } }]
suites:
  - name: own
    target: { command: [./agent.sh], id: shop }
    tests:
      - { name: t, input: "{{city}}", rows: [{ id: x, city: Bonn }], assert: [{ type: contains, value: "{{city}}" }] }
      - { name: m, target: model, input: hi, models: [a], assert: [{ type: equals, value: hi }] }
      - { name: p, target: { module: ./agent.ts, proxy: true }, input: hi, assert: [{ type: equals, value: ts }] }
`;
  const files = {
    "kindlm.yaml": config,
    "agent.sh": "#!/bin/sh\ncat\n",
    "agent.ts": `export default async (input: string): Promise<string> => "ts";\n`,
  };

  it("lists, counts and runs cases of programs beside those of models", async () => {
    const cwd = makeProject(files);
    execFileSync("chmod", ["+x", join(cwd, "agent.sh")]);
    const validated = await runCli(["validate"], { cwd });
    expect(validated.stdout).toContain("own: 3 tests, 4 cases, 4 trials\n");
    expect(validated.stdout).toContain("A run makes at least 3 model calls.");
    const listed = await runCli(["test", "--list"], { cwd });
    const ids = ["own/t[x]@shop", "own/m@a", "own/p@a", "own/p@b"];
    for (const id of ids) expect(listed.stdout).toContain(id);
    const { tests } = await reportOf(cwd);
    expect(tests.map(({ id, status }) => [id, status])).toEqual(ids.map((id) => [id, "passed"]));
    const chosen = await runCli(["test", "--model", "shop", "--reporter", "json=r.json"], { cwd });
    expect(chosen.code).toBe(0);
    const report = JSON.parse(readFileSync(join(cwd, "r.json"), "utf8")) as Report;
    expect(report.suites.flatMap((suite) => suite.tests).map(({ id }) => id)).toEqual(["own/t[x]@shop"]);
  });
});
