import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lightFetch } from "../packages/core/src/__fixtures__/light-fetch.js";
import { createManualClock } from "../packages/core/src/__fixtures__/manual-clock.js";
import { makeLifeline } from "../packages/core/src/__fixtures__/make-lifeline.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { repository, runCli } from "./support/run-cli.js";
import { until } from "./support/until.js";

const programOf = (name: string): string => JSON.stringify(join(repository, "test", "fixtures", "agents", name));
const shopAgent = programOf("shop-agent.mjs");
/** The arguments of a program that does without the `fetch` of Node, which takes a third of its time. */
const lightly = `--import, ${JSON.stringify(lightFetch)}`;

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

async function reportOf(cwd: string, ...args: readonly string[]) {
  const ran = await runCli(["test", "--reporter", "json", ...args], { cwd });
  return { ran, tests: testsOf(ran.stdout) };
}

const testsOf = (stdout: string) => (JSON.parse(stdout) as Report).suites.flatMap((suite) => suite.tests);

describe.concurrent("an agent on the AI SDK, as it is", () => {
  const config = `version: 1
models:
  - id: offline
    provider: scripted
    script:
      rules:
        - when: { turn: 1 }
          reply: { text: "Let me look.", tool_calls: [{ tool: add, args: { a: 1, b: 2 } }, { tool: lookup_order, args: { order_id: ORD-1 } }] }
        - when: { last_tool_result: { $contains: timed out } }
          reply: { tool_calls: [{ tool: lookup_order, args: { order_id: ORD-1 } }] }
      otherwise: { text: "It was delivered." }
suites:
  - name: shop
    target: { command: [node, ${lightly}, ${shopAgent}], proxy: true }
    tools:
      - name: lookup_order
        parameters: { type: object, properties: { order_id: { type: string } }, required: [order_id] }
        default: { return: { status: delivered } }
    tests:
      - name: at-once
        input: "Where is ORD-1?"
        faults: [{ tool: lookup_order, kind: error, call: 1, error: { message: timed out } }]
        assert:
          - { type: equals, value: "It was delivered." }
          - { type: tool_called, tool: lookup_order, args: { order_id: ORD-1 }, result: { status: delivered } }
          - { type: tool_called, tool: add, args: { a: 1 }, result: { sum: 3 }, times: 1 }
      - name: in-pieces
        target: { command: [node, ${lightly}, ${shopAgent}, --stream], proxy: true }
        input: "Where is ORD-1?"
        assert: &calls
          - { type: contains, value: "It was delivered." }
          - { type: tool_calls, mode: in_order, calls: [{ tool: add, result: { sum: 3 } }, { tool: lookup_order }] }
      - name: chat
        target: { command: [node, ${lightly}, ${shopAgent}, --chat], proxy: true }
        input: "Where is ORD-1?"
        assert: *calls
      - name: chat-in-pieces
        target: { command: [node, ${shopAgent}, --chat, --stream], proxy: true }
        input: "Where is ORD-1?"
        assert: *calls
`;

  it("is tested with simulated tools and their failures, streaming or not, through either API", async () => {
    const { ran, tests } = await reportOf(makeProject({ "kindlm.yaml": config }));
    expect(tests.map(({ id, status, error }) => [id, status, error])).toEqual([
      ["shop/at-once@offline", "passed", null],
      ["shop/in-pieces@offline", "passed", null],
      ["shop/chat@offline", "passed", null],
      ["shop/chat-in-pieces@offline", "passed", null],
    ]);
    expect(tests.map(({ trials }) => trials[0]?.attempts)).toEqual([3, 2, 2, 2]);
    expect(ran.code).toBe(0);
    const calls = tests.map(({ trials }) =>
      trials[0]?.toolCalls.map(({ tool, error }) => [tool, error?.errorType ?? null]),
    );
    const fine = [
      ["add", null],
      ["lookup_order", null],
    ];
    expect(calls).toEqual([
      [
        ["add", null],
        ["lookup_order", "runtime"],
        ["lookup_order", null],
      ],
      fine,
      fine,
      fine,
    ]);
  });

  it("is not blamed for a provider that is down, nor is any other program", async () => {
    const written = config
      .replace(/\[node, .*?\]/, `[bash, ${programOf("failing-agent.sh")}]`)
      .replaceAll(/(?:reply|otherwise): .*/g, (line) => `${line.split(":")[0]}: { error: { status: 400 } }`);
    const { ran, tests } = await reportOf(makeProject({ "kindlm.yaml": written }), "-t", "at-once");
    expect(tests[0]).toMatchObject({ status: "errored", error: { code: "PROVIDER_API_ERROR" } });
    expect(ran.code).toBe(1);
  });

  it("shows nobody the key that it was given", async () => {
    const written = config.replace(/\[node, .*?\]/, "[sh, -c, env]");
    const cwd = makeProject({ "kindlm.yaml": written });
    const ran = await runCli(["test", "--verbose", "--reporter", "json", "-t", "at-once"], { cwd });
    expect(ran.stdout).toContain("OPENAI_BASE_URL=http://127.0.0.1:");
    expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/sk-kindlm-[0-9a-f]/);
  });
});

describe.concurrent("an agent that knows nothing of KindLM", () => {
  const agent = programOf("payment-agent.mjs");
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
    target: { command: [node, ${lightly}, ${agent}], proxy: ${proxy} }
    tools:
      - name: pay
        parameters: { type: object, properties: { invoice: { type: string } }, required: [invoice] }
        default: { return: { paid: true } }
    faults: [{ tool: pay, kind: error, call: 1, error: { type: logical, message: card declined, retryable: false } }]
    assert: [{ type: no_blind_retry, tool: pay }]
    tests:
      - { name: responses, input: "Pay I-7" }
      - { name: chat, target: { command: [node, ${lightly}, ${agent}, --chat], proxy: ${proxy} }, input: "Pay I-7" }
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
    // Without an SDK, which takes most of the time of a program.
    const plain = `import { appendFileSync } from "node:fs";
const { OPENAI_BASE_URL, OPENAI_API_KEY } = process.env;
const headers = { authorization: "Bearer " + OPENAI_API_KEY, "content-type": "application/json" };
const tools = ["pay", "today"].map((name) => ({ type: "function", name, parameters: { type: "object" } }));
const ask = async (input) => {
  const body = JSON.stringify({ model: "gpt-4.1-mini", input, tools });
  return (await (await fetch(OPENAI_BASE_URL + "/responses", { method: "POST", headers, body })).json()).output;
};
const input = [{ role: "user", content: "Pay I-7" }];
const calls = (await ask(input)).filter(({ type }) => type === "function_call");
appendFileSync("payments.txt", JSON.parse(calls.find(({ name }) => name === "pay").arguments).invoice + "\\n");
input.push(...calls, ...calls.map(({ call_id }) => ({ type: "function_call_output", call_id, output: "done" })));
console.log((await ask(input))[0].content[0].text);
`;
    const written = config("true").replaceAll(agent, "agent.mjs");
    const cwd = makeProject({ "kindlm.yaml": written, "agent.mjs": plain });
    const { tests } = await reportOf(cwd, "-t", "responses");
    const why = 'The fault "error:pay" never fired: the agent ran its own pay, which no fault reaches';
    expect(tests).toMatchObject([{ status: "errored", error: { code: "ENGINE_FIXTURE_ERROR", message: why } }]);
    expect(readFileSync(join(cwd, "payments.txt"), "utf8")).toBe("I-7\n");
  });
});

describe.concurrent("a program that will not end", () => {
  /**
   * Notes that it was asked to end, and ignores it, as does what it starts, which starts more. Ends when its folder is
   * removed, so that a test run that is killed leaves nothing behind that keeps a core busy.
   */
  const stubborn = `trap 'touch "$1-asked"' TERM
(trap '' TERM; (echo "grandchild runs" >&2; touch "$1-runs"; exec sleep 1000) & sleep 1000) &
while [ -e agent.sh ]; do (trap '' TERM; exec sleep 1) & wait $!; done
`;
  const target = (protocol: string): string =>
    `target: { command: [sh, agent.sh, ${protocol}], protocol: ${protocol} }`;
  const config = `version: 1
timeouts: { trial: 2s }
suites:
  - name: s
    tests:
      - { name: t, ${target("plain")}, input: hi, assert: [{ type: contains, value: x }] }
      - { name: u, ${target("json_lines")}, input: hi, assert: [{ type: contains, value: x }] }
`;

  async function startBoth() {
    const cwd = makeProject({ "kindlm.yaml": config });
    const { hold, isHeld } = makeLifeline(cwd);
    writeFileSync(join(cwd, "agent.sh"), hold + stubborn);
    const both = (what: string): Promise<void> =>
      until(() => ["plain", "json_lines"].every((protocol) => existsSync(join(cwd, `${protocol}-${what}`))));
    const clock = createManualClock({ start: Date.now() });
    const interrupt = new AbortController();
    const running = runCli(["test", "--reporter", "json"], { cwd, clock, interrupt: interrupt.signal });
    await both("runs");
    return { clock, interrupt, running, isHeld, areAsked: () => both("asked") };
  }

  it("is gone 2 s after its timeout, with all that it started", async () => {
    const { clock, running, isHeld, areAsked } = await startBoth();
    clock.advance(2_000);
    await areAsked();
    expect(isHeld()).toBe(true);
    clock.advance(2_000);
    const { code, stdout } = await running;
    const error = { code: "ENGINE_TIMEOUT", details: { scope: "trial", stderr: "grandchild runs\n" } };
    expect(testsOf(stdout)).toMatchObject([
      { status: "errored", error },
      { status: "errored", error },
    ]);
    expect(code).toBe(1);
    // Killed, and gone as soon as the system has ended it.
    await until(() => !isHeld());
  });

  it("is gone half a second after the run was interrupted", async () => {
    const { clock, interrupt, running, isHeld, areAsked } = await startBoth();
    interrupt.abort();
    await areAsked();
    clock.advance(499);
    expect(isHeld()).toBe(true);
    clock.advance(1);
    expect((await running).code).toBe(1);
    // Killed, and gone as soon as the system has ended it.
    await until(() => !isHeld());
  });

  it("is not waited for after an interruption when it had time to leave, so that there is a report", async () => {
    const agent = `trap 'touch asked' TERM
while read -r line; do case $line in *'"type":"user"'*) echo '{"type":"text","text":"x"}'; echo '{"type":"done"}';; esac; done
touch leaving
(trap '' TERM; exec sleep 1000) &
while [ -e agent.sh ]; do (trap '' TERM; exec sleep 1) & wait $!; done
`;
    const cwd = makeProject({
      "kindlm.yaml": `version: 1
suites:
  - name: s
    tests: [{ name: t, ${target("json_lines")}, input: hi, assert: [{ type: contains, value: x }] }]
`,
    });
    const { hold, isHeld } = makeLifeline(cwd);
    writeFileSync(join(cwd, "agent.sh"), hold + agent);
    const clock = createManualClock({ start: Date.now() });
    const interrupt = new AbortController();
    const running = runCli(["test"], { cwd, clock, interrupt: interrupt.signal });
    await until(() => existsSync(join(cwd, "leaving")));
    interrupt.abort();
    await until(() => existsSync(join(cwd, "asked")));
    clock.advance(500);
    const { code, stdout } = await running;
    expect(code).toBe(1);
    expect(stdout).toContain("Interrupted: these results are partial.");
    // Killed without being waited for, so that it may still be on its way out.
    await until(() => !isHeld());
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
    chmodSync(join(cwd, "agent.sh"), 0o755);
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
