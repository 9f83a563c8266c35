import { describe, expect, it } from "vitest";
import { afterFile } from "../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { sendJson, startServer } from "../packages/core/src/__fixtures__/start-server.js";

interface Call {
  tool: string;
  resumed?: string;
  result?: unknown;
}

interface Report {
  summary: Record<string, number>;
  suites: {
    tests: {
      status: string;
      error: { code: string; message: string } | null;
      trials: { toolCalls: Call[]; events?: unknown }[];
    }[];
  }[];
}

/** What the model does in one session: in each turn it makes calls, fails with an error of the provider, or answers. */
type Turn = readonly { tool: string; args: object | string }[] | "error" | "done";

const pay = (amount: number) => ({ tool: "pay", args: { amount } });
const payTo = (account: string) => ({ tool: "pay", args: `{"account":${account}}` });
const ship = { tool: "ship", args: {} };

interface Scene {
  /** Runs a session in which the model takes these turns, and shows its one case. */
  session(how: readonly string[], ...turns: readonly Turn[]): Promise<Report["suites"][number]["tests"][number]>;
  /** What the shop received so far. */
  received: string[];
  cwd: string;
}

async function scene(attributes = "{}", assertion = "{ type: tool_called, tool: pay }"): Promise<Scene> {
  let turns: readonly Turn[] = [];
  const received: string[] = [];
  const server = await startServer(({ path, body }, response) => {
    if (path.startsWith("/shop/")) {
      received.push(`${path.slice("/shop/".length)} ${body}`);
      return sendJson(response, 200, { receipt: received.length });
    }
    const { messages } = JSON.parse(body) as { messages: { role: string }[] };
    const turn = turns[messages.filter(({ role }) => role === "assistant").length] ?? "done";
    if (turn === "error") return sendJson(response, 500, { error: { message: "overloaded" } });
    const calls = turn === "done" ? [] : turn;
    const message = {
      role: "assistant",
      content: calls.length === 0 ? "done" : null,
      tool_calls: calls.map(({ tool, args }, index) => ({
        id: `c${messages.length}${index}`,
        type: "function",
        function: { name: tool, arguments: typeof args === "string" ? args : JSON.stringify(args) },
      })),
    };
    if (calls.length === 0) Reflect.deleteProperty(message, "tool_calls");
    const finish = calls.length === 0 ? "stop" : "tool_calls";
    return sendJson(response, 200, { id: "r", model: "m", choices: [{ index: 0, finish_reason: finish, message }] });
  });
  afterFile(() => server.close());
  const tool = (name: string): string =>
    `      - { name: ${name}, description: Does it, url: "${server.url}/shop/${name}", attributes: ${attributes}, parameters: { type: object } }\n`;
  const cwd = makeProject({
    "kindlm.yaml": `version: 1
providers: { local: { type: openai, base_url: "${server.url}/v1" } }
models: [{ id: m, provider: local, model: m }]
suites:
  - name: s
    tools:
${tool("pay")}${tool("ship")}    tests: [{ name: pays, input: hi, assert: [${assertion}] }]
`,
  });
  return {
    async session(how, ...given) {
      turns = given;
      const ran = await runCli(["test", ...how, "--reporter", "json"], { cwd });
      expect(ran.stdout, ran.stderr).not.toBe("");
      const [found] = (JSON.parse(ran.stdout) as Report).suites[0]?.tests ?? [];
      return found ?? expect.fail("there is no case");
    },
    received,
    cwd,
  };
}

const resume = ["--resume"];

describe("a trial that the provider cut off after calls with effects", () => {
  it("goes on with their answers, session after session", async () => {
    const { session, received } = await scene();
    expect(await session([], [pay(3)], "error")).toMatchObject({
      status: "errored",
      error: { code: "PROVIDER_API_ERROR" },
    });
    expect(await session(resume, [pay(3)], [pay(3), ship], "error")).toMatchObject({ status: "errored" });
    const { status, trials } = await session(resume, [pay(3)], [pay(3), ship], "done");
    expect(received).toEqual(['pay {"amount":3}', 'pay {"amount":3}', "ship {}"]);
    expect(status).toBe("passed");
    expect(trials[0]?.toolCalls).toMatchObject(
      [1, 2, 3].map((receipt) => ({ resumed: "answered_before", result: { receipt } })),
    );
  });

  it.each<[string, Turn[], string]>([
    [
      "makes another call first",
      [[pay(4)], "done"],
      "The agent called pay({amount: 4}) before it repeated pay({amount: 3})",
    ],
    [
      "makes another call in the same turn, first",
      [[ship, pay(3)], "done"],
      "The agent called ship() before it repeated pay(",
    ],
    ["comes to its end without them", ["done"], "The agent did not repeat pay({amount: 3})"],
  ])("stays errored if the agent %s, and starts again only when it is asked to", async (_name, turns, says) => {
    const { session, received, cwd } = await scene();
    await session([], [pay(3)], "error");
    const stays = {
      status: "errored",
      error: { code: "ENGINE_ABORTED", message: expect.stringContaining(says) as string },
    };
    expect(await session(resume, ...turns)).toMatchObject(stays);
    expect(await session(resume, [pay(3)], "done")).toMatchObject(stays);
    expect(received).toHaveLength(1);
    const shown = await runCli(["report", "last"], { cwd });
    expect(shown.stdout).toContain("kindlm test --rerun-failed");
    expect(await session(["--rerun-failed"], [pay(3)], "done")).toMatchObject({ status: "passed" });
    expect(received).toHaveLength(2);
  });

  it("takes an account that differs in a digit that no number can hold for another", async () => {
    const { session, received } = await scene();
    await session([], [payTo("9007199254740993")], "error");
    const stays = { status: "errored", error: { code: "ENGINE_ABORTED" } };
    expect(await session(resume, [payTo("9007199254740992")], "done")).toMatchObject(stays);
    expect(await session(resume, [payTo("9007199254740993")], "error")).toMatchObject({ status: "errored" });
    expect(received).toHaveLength(1);
  });

  it("proves nothing against the agent, and is not tried until it passes", async () => {
    const { session, received } = await scene("{}", '{ type: contains, value: "thank you" }');
    await session([], [pay(3)], "error");
    const unfair = { status: "errored", error: { code: "ENGINE_ABORTED" } };
    expect(await session(resume, [pay(3)], "done")).toMatchObject(unfair);
    expect(await session(resume, [pay(3)], "done")).toMatchObject(unfair);
    expect(received).toHaveLength(1);
  });

  it("runs again where the calls may be made again", async () => {
    const { session, received } = await scene("{ no_effect: true }");
    await session([], [pay(3)], "error");
    expect(await session(resume, [pay(4)], "done")).toMatchObject({ status: "passed" });
    expect(received).toEqual(['pay {"amount":3}', 'pay {"amount":4}']);
  });
});
