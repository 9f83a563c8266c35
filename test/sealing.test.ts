import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { startCli } from "./support/start-cli.js";
import { until } from "./support/until.js";

/**
 * Each call but `look` leaves a line; `charge` does not answer before it may. Nobody is left to end one of a killed run. A
 * shell starts much faster than Node, and there are many calls.
 */
const program = `
IFS='"' read -r _ key _ order _
[ "$key" = order ] || exit 3
[ "$1" = look ] || echo "$1" >> "calls-$order.log"
if [ "$1" = charge ] && [ ! -e answers ]; then
  : > "hanging-$order"
  until [ -e answers ] || [ ! -e tool.sh ]; do sleep 0.1; done
  exit
fi
isOpen=false
[ -e answers ] && isOpen=true
case $1 in look) echo '{ "done": "look", "isOpen": '$isOpen' }' ;; *) echo '{ "done": "'$1'" }' ;; esac
`;

const isAnswered = `{ type: contains, value: '"done":"charge"' }`;
const isCharged = "{ type: tool_called, tool: charge, times: 1 }";
const withEffects = "{ readonly: false, no_effect: false }";
const harmless = "{ readonly: true, no_effect: true }";
const suites = {
  once: [isCharged, withEffects],
  answered: [isAnswered, withEffects],
  harmless: [isAnswered, harmless],
  delegated: [isCharged, withEffects],
  delegatedAnswered: ["{ type: contains, value: charge }", withEffects],
  delegatedHarmless: ["{ type: contains, value: charge }", harmless],
  delegatedDiffering: [isCharged, withEffects],
} as const;
type Order = keyof typeof suites;

const isDelegated = (order: Order): boolean => order.startsWith("delegated");

/** A suite for each order, in which the agent, or a sub-agent, ships it and then charges for it. */
function project(orders: readonly Order[]): string {
  const tool = (name: string, attributes: string): string => `      - name: ${name}
        description: Does it
        parameters: { type: object, properties: { order: { type: string } } }
        attributes: ${attributes}
        command: [sh, tool.sh, ${name}]
        timeout: 60s
`;
  const rules = orders.flatMap((order) => {
    const user = isDelegated(order) ? `system: clerk, user: { $contains: "${order}." }` : `user: ${order}`;
    const task = `{ description: Pay, prompt: Order ${order}., agentTemplateId: clerk }`;
    const call = (name: string): string => `{ tool_calls: [{ tool: ${name}, args: { order: ${order} } }] }`;
    const [first, second] =
      order === "delegatedDiffering" ? (["look", "ship"] as const) : (["ship", "charge"] as const);
    return [
      `{ when: { ${user}, turn: 1 }, reply: ${call(first)} }`,
      `{ when: { ${user}, last_tool_result: { done: look, isOpen: true } }, reply: { tool_calls: [{ tool: charge, args: { order: ${order}, in: full } }] } }`,
      `{ when: { ${user}, turn: 2 }, reply: ${call(second)} }`,
      `{ when: { ${user}, turn: 3, last_tool_result: { done: ship } }, reply: ${call("charge")} }`,
      ...(isDelegated(order)
        ? [`{ when: { user: ${order}, turn: 1 }, reply: { tool_calls: [{ tool: task_run, args: ${task} }] } }`]
        : []),
    ];
  });
  const written = orders.map((order) => {
    const [assertion, attributes] = suites[order];
    const tools = tool("look", harmless) + tool("ship", withEffects) + tool("charge", attributes);
    const isOf = isDelegated(order)
      ? `    tools: [task_run]\n    agents:\n    - id: clerk\n      system: clerk\n      tools:\n${tools}`
      : `    tools:\n${tools}`;
    return `  - name: ${order}\n${isOf}    tests: [{ name: pays, input: ${order}, assert: [${assertion}] }]\n`;
  });
  return makeProject({
    "tool.sh": program,
    "kindlm.yaml": `version: 1
models: [{ id: m, provider: scripted, script: s.yaml }]
suites:
${written.join("")}`,
    "s.yaml": `rules:
${rules.map((rule) => `  - ${rule}\n`).join("")}otherwise: { text: "done: {{last_tool_result}}" }
`,
  });
}

interface Call {
  tool: string;
  resumed?: string;
  result?: unknown;
  error?: { errorType: string; retryable: boolean } | null;
  delegation?: { messages: unknown; toolCalls: Call[] };
}

interface Report {
  suites: {
    name: string;
    tests: { status: string; error: { code: string; message: string } | null; trials: { toolCalls: Call[] }[] }[];
  }[];
}

/** What a run says of the test of each order, and what was called for it up to then. */
type Outcome = (order: Order) => { test: Report["suites"][number]["tests"][number] | undefined; calls: string };

async function resume(cwd: string, orders: readonly Order[], how = "--resume"): Promise<Outcome> {
  writeFileSync(join(cwd, "answers"), "");
  const ran = await runCli(["test", how, "--reporter", "json", "--verbose"], { cwd });
  const report = JSON.parse(ran.stdout) as Report;
  const calls = new Map(orders.map((order) => [order, readFileSync(join(cwd, `calls-${order}.log`), "utf8")]));
  return (order) => ({
    test: report.suites.find(({ name }) => name === order)?.tests[0],
    calls: calls.get(order) ?? "",
  });
}

const hang = (cwd: string, orders: readonly Order[]): Promise<void> =>
  until(() => orders.every((order) => existsSync(join(cwd, `hanging-${order}`))));

describe("a run that is killed during a call with effects", () => {
  const orders: readonly Order[] = [
    "once",
    "answered",
    "harmless",
    "delegated",
    "delegatedAnswered",
    "delegatedHarmless",
    "delegatedDiffering",
  ];
  let resumed: Outcome;
  let resumedAgain: Outcome;
  let rerun: Outcome;

  beforeAll(async () => {
    const cwd = project(orders);
    const cli = startCli(["test"], { cwd });
    await hang(cwd, orders);
    cli.child.kill("SIGKILL");
    await cli.finished;
    resumed = await resume(cwd, orders);
    resumedAgain = await resume(cwd, orders);
    rerun = await resume(cwd, orders, "--rerun-failed");
  });

  it("makes neither the finished call nor the unfinished one again", () => {
    const { test, calls } = resumed("once");
    expect(calls).toBe("ship\ncharge\n");
    expect(test?.status).toBe("passed");
    const [ship, charge] = test?.trials[0]?.toolCalls ?? [];
    expect(ship).toMatchObject({ tool: "ship", resumed: "answered_before", result: { done: "ship" } });
    expect(charge).toMatchObject({
      tool: "charge",
      resumed: "sealed",
      error: { errorType: "aborted", retryable: false },
    });
  });

  it("blames no agent for what it made of that, and does not make the calls again when resumed again", () => {
    const outcome = { test: { status: "errored", error: { code: "ENGINE_ABORTED" } }, calls: "ship\ncharge\n" };
    expect(resumed("answered")).toMatchObject(outcome);
    expect(resumedAgain("answered")).toMatchObject(outcome);
    expect(rerun("answered")).toMatchObject({ test: { status: "passed" }, calls: "ship\ncharge\nship\ncharge\n" });
  });

  it("makes calls without effects again", () => {
    expect(resumed("harmless")).toMatchObject({ test: { status: "passed" }, calls: "ship\ncharge\ncharge\n" });
  });

  it("delegates again if a sub-agent was at work, and treats its calls as those of the agent", async () => {
    const once = resumed("delegated");
    expect(once).toMatchObject({ test: { status: "passed" }, calls: "ship\ncharge\n" });
    expect(once.test?.trials[0]?.toolCalls[0]?.delegation?.toolCalls).toMatchObject([
      { tool: "ship", resumed: "answered_before", result: { done: "ship" } },
      { tool: "charge", resumed: "sealed", error: { errorType: "aborted", retryable: false } },
    ]);
    for (const outcome of [resumed, resumedAgain]) {
      expect(outcome("delegatedAnswered")).toMatchObject({
        test: { status: "errored", error: { code: "ENGINE_ABORTED" } },
        calls: "ship\ncharge\n",
      });
    }
    const { test, calls } = resumed("delegatedHarmless");
    expect(calls).toBe("ship\ncharge\ncharge\n");
    const fresh: readonly Order[] = ["delegatedHarmless"];
    const { test: uninterrupted } = (await resume(project(fresh), fresh, "--no-color"))("delegatedHarmless");
    expect(test?.status).toBe("passed");
    expect(uninterrupted?.status).toBe("passed");
    // A call that it had not made before could be the same one in other words.
    expect(resumed("delegatedDiffering")).toMatchObject({
      test: {
        status: "errored",
        error: { code: "ENGINE_ABORTED", message: expect.stringContaining("before it repeated ship") },
      },
      calls: "ship\ncharge\n",
    });
    const heldWith = (held: typeof test): unknown => held?.trials[0]?.toolCalls[0]?.delegation?.messages;
    expect(heldWith(test)).toHaveLength(6);
    expect(heldWith(test)).toEqual(heldWith(uninterrupted));
  });
});

describe("a run that is interrupted during a call with effects", () => {
  it("does not make it again either, however often it is resumed", async () => {
    const orders: readonly Order[] = ["once", "answered"];
    const cwd = project(orders);
    const interrupt = new AbortController();
    const ran = runCli(["test"], { cwd, interrupt: interrupt.signal });
    await hang(cwd, orders);
    interrupt.abort();
    expect((await ran).code).toBe(1);
    const resumed = await resume(cwd, orders);
    const resumedAgain = await resume(cwd, orders);
    for (const outcome of [resumed, resumedAgain]) {
      expect(outcome("once")).toMatchObject({ calls: "ship\ncharge\n", test: { status: "passed" } });
      expect(outcome("answered")).toMatchObject({ calls: "ship\ncharge\n", test: { status: "errored" } });
    }
    const [, charge] = resumed("once").test?.trials[0]?.toolCalls ?? [];
    expect(charge).toMatchObject({ tool: "charge", error: { errorType: "aborted" } });
  });
});
