import { expect } from "vitest";
import { createRandom } from "../../packages/core/src/values/random.js";
import { afterFile } from "../../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { runCli, type CliOutcome } from "./run-cli.js";
import { startCli } from "./start-cli.js";
import { sendJson, startServer, type LoopbackServer } from "../../packages/core/src/__fixtures__/start-server.js";

/** What an agent does about an order, turn by turn; calls of one turn come in one answer. A new message stands between lists. */
const plans: readonly (readonly (readonly (readonly string[])[])[])[] = [
  [[["pay"], ["ship"]]],
  [[["pay", "ship"]]],
  [[["pay"]], [["ship"]]],
  [[["pay"], ["pay"], ["ship"]]],
];
const planOf = (order: number) => plans[order % plans.length] ?? [];
const timesOf = (order: number, tool: string): number =>
  planOf(order)
    .flat(2)
    .filter((name) => name === tool).length;

interface Payment {
  tool: string;
  order: number;
  receipt: string;
}

interface World extends LoopbackServer {
  payments: Payment[];
  /** The share of model requests that fail. */
  failing: number;
  /** Resolves when so many requests have come. */
  hasReceived(count: number): Promise<void>;
}

interface Asked {
  messages: { role: string; content: string | null }[];
}

/** A model and a shop. Each receipt is another one, so that an answer cannot be made up. */
async function startWorld(random: () => number): Promise<World> {
  const waiting = new Map<number, () => void>();
  const payments: Payment[] = [];
  const server = await startServer((request, response) => {
    waiting.get(request.number)?.();
    const { path, body } = request;
    const tool = /^\/(pay|ship)$/.exec(path)?.[1];
    if (tool !== undefined) {
      const { order } = JSON.parse(body) as { order: number };
      const receipt = `${tool}-${order}-${payments.length}`;
      payments.push({ tool, order, receipt });
      return void setTimeout(() => sendJson(response, 200, { receipt }), random() * 8);
    }
    if (random() < world.failing) return sendJson(response, 500, { error: { message: "overloaded" } });
    const reply = answerTo(JSON.parse(body) as Asked);
    return void setTimeout(() => sendJson(response, 200, reply), random() * 8);
  });
  const world: World = {
    ...server,
    payments,
    failing: 0,
    hasReceived: (count) =>
      server.requests.length >= count ? Promise.resolve() : new Promise((resolve) => void waiting.set(count, resolve)),
  };
  return world;
}

function answerTo({ messages }: Asked): unknown {
  const order = Number(/order (\d+)/.exec(messages.find(({ role }) => role === "user")?.content ?? "")?.[1]);
  const userTurn = messages.filter(({ role }) => role === "user").length - 1;
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
  const turn = since.filter(({ role }) => role === "assistant").length;
  const calls = planOf(order)[userTurn]?.[turn] ?? [];
  const message =
    calls.length === 0
      ? { role: "assistant", content: "done" }
      : {
          role: "assistant",
          content: null,
          tool_calls: calls.map((name, index) => ({
            id: `c${userTurn}${turn}${index}`,
            type: "function",
            function: { name, arguments: JSON.stringify({ order }) },
          })),
        };
  const finish = calls.length === 0 ? "stop" : "tool_calls";
  return { id: "r", model: "m", choices: [{ index: 0, finish_reason: finish, message }] };
}

function project(world: World, orders: number): string {
  const tool = (name: string): string =>
    `      - { name: ${name}, description: Does it, url: "${world.url}/${name}", parameters: { type: object, properties: { order: { type: integer } } } }\n`;
  const tests = Array.from({ length: orders }, (_, order) => {
    const isStrict = order % 3 === 0 ? ", { type: no_tool_errors }" : "";
    const called = ["pay", "ship"].map(
      (name) =>
        `{ type: tool_called, tool: ${name}, result: { receipt: { $regex: "^${name}-${order}-" } }, times: ${timesOf(order, name)} }`,
    );
    const more =
      planOf(order).length === 2 ? "conversation: [{ user: order ORDER }, { user: go on }]" : "input: order ORDER";
    return `      - { name: t${order}, ${more.replace("ORDER", String(order))}, assert: [${called.join(", ")}${isStrict}] }\n`;
  });
  return makeProject({
    "kindlm.yaml": `version: 1
defaults: { concurrency: 3 }
providers: { local: { type: openai, base_url: "${world.url}/v1" } }
models: [{ id: m, provider: local, model: m, circuit_breaker: false }]
suites:
  - name: s
    tools:
${tool("pay")}${tool("ship")}    tests:
${tests.join("")}`,
  });
}

interface Case {
  name: string;
  status: string;
  error: { code: string; details?: { resumedCalls?: number } } | null;
  trials: { toolCalls: { tool: string; result?: { receipt: string } }[] }[];
}

function casesIn({ stdout, stderr }: CliOutcome): readonly Case[] {
  expect(stdout, stderr).not.toBe("");
  return (JSON.parse(stdout) as { suites: { tests: Case[] }[] }).suites.flatMap(({ tests }) => tests);
}

/** How the cases of killed runs ended. */
export interface Ending {
  passed: number;
  /** Errored, and named as what only a run from its start can decide. */
  undecided: number;
}

/**
 * Kills a run in which an agent pays, at a random moment, and resumes it twice; providers fail before and between. Nothing
 * is paid twice, and what was paid is in a trial that passed, or in one that says that it cannot continue.
 *
 * @param orders - how many tests the run has, each of which pays for an order
 */
export async function killPayingRun(seed: number, orders: number): Promise<Ending> {
  const random = createRandom(seed);
  const world = await startWorld(random);
  afterFile(() => world.close());
  const cwd = project(world, orders);
  world.failing = 0.12;
  const cli = startCli(["test"], { cwd });
  await Promise.race([world.hasReceived(1 + Math.floor(random() * orders * 4.5)), cli.finished]);
  for (let ticks = Math.floor(random() * 10); ticks > 0; ticks -= 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  cli.child.kill("SIGKILL");
  await cli.finished;
  const resume = async (): Promise<CliOutcome> => {
    const ran = await runCli(["test", "--resume", "--reporter", "json"], { cwd });
    // It may have been killed before there was anything of it.
    return ran.stderr.includes("No runs yet") ? runCli(["test", "--reporter", "json"], { cwd }) : ran;
  };
  await resume();
  world.failing = 0;
  const cases = casesIn(await resume());
  expect(cases).toHaveLength(orders);
  const paid = world.payments.length;
  expect(casesIn(await resume()).map(({ status }) => status)).toEqual(cases.map(({ status }) => status));
  expect(world.payments.length, "a third resume calls").toBe(paid);
  await world.close();
  return cases
    .map((one) => endingOf(one, world))
    .reduce((sum, one) => ({
      passed: sum.passed + one.passed,
      undecided: sum.undecided + one.undecided,
    }));
}

function endingOf({ name, status, error, trials }: Case, { payments }: World): Ending {
  const order = Number(name.slice(1));
  const made = payments.filter((one) => one.order === order);
  for (const tool of ["pay", "ship"]) {
    const times = made.filter((one) => one.tool === tool).length;
    expect(times, `${name}: calls of ${tool}`).toBeLessThanOrEqual(timesOf(order, tool));
  }
  if (status !== "passed") {
    expect({ name, status, code: error?.code }).toEqual({ name, status: "errored", code: "ENGINE_ABORTED" });
    expect(error?.details?.resumedCalls, name).toBeGreaterThan(0);
    return { passed: 0, undecided: 1 };
  }
  const seen = trials.flatMap(({ toolCalls }) => toolCalls.map(({ result }) => result?.receipt));
  expect(new Set(seen), name).toEqual(new Set(made.map(({ receipt }) => receipt)));
  return { passed: 1, undecided: 0 };
}
