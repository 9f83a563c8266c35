import { describe, expect, it, onTestFinished } from "vitest";
import { everyFake } from "./support/fake-models/every-fake.js";
import type { FakeModel, NeutralAnswer, NeutralRequest } from "./support/fake-models/fake-model.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { startServer } from "../packages/core/src/__fixtures__/start-server.js";

/** The agent, in no provider's language. It knows nothing but what it is told. */
function answer({ system, userTexts, toolResults, tools }: NeutralRequest): NeutralAnswer {
  const say = (text: string): NeutralAnswer => ({ text, toolCalls: [] });
  const look = (id: string) => ({ tool: "lookup_order", args: { order_id: id } });
  const last = userTexts.at(-1) ?? "";
  if (system !== "You are an order agent. Be terse." || tools.join() !== "lookup_order,cancel_order") {
    return say(`I was told ${JSON.stringify({ system, tools })}`);
  }
  if (last.startsWith("Where are")) {
    if (toolResults.length === 0) return { text: "Let me look.", toolCalls: [look("ORD-1"), look("ORD-2")] };
    if (toolResults.length === 2) return { text: "", toolCalls: [look("ORD-2")] };
    return say(
      `I found: ${toolResults.map(({ content }) => /delivered|pending|timed out/.exec(content)?.[0]).join(", ")}`,
    );
  }
  if (last.startsWith("Cancel")) return say("Are you sure that ORD-1 is to be cancelled?");
  if (!last.startsWith("Yes")) return say("Grüße, 你好 — I cannot help with that.");
  return toolResults.length === 0
    ? { text: "", toolCalls: [{ tool: "cancel_order", args: { order_id: "ORD-1", reason: "wünscht der Kunde €" } }] }
    : say(`Done: ${toolResults.at(-1)?.content.includes("true")}`);
}

const configOf = (provider: Record<string, unknown>, isStream: boolean): string => `version: 1
providers: { under-test: ${JSON.stringify(provider)} }
models: [{ id: main, provider: under-test, model: the-model, stream: ${isStream}, params: { max_tokens: 500 } }]
suites:
  - name: orders
    system_prompt: You are an order agent. Be terse.
    tools:
      - name: lookup_order
        description: Looks an order up
        parameters: { type: object, properties: { order_id: { type: string } }, required: [order_id] }
        responses:
          - { when: { order_id: ORD-2 }, times: 1, error: { type: runtime, message: upstream timed out } }
          - { when: { order_id: ORD-1 }, return: { status: delivered } }
          - { when: { order_id: ORD-2 }, return: { status: pending } }
      - name: cancel_order
        description: Cancels an order
        parameters:
          type: object
          properties: { order_id: { type: string }, reason: { type: string } }
          required: [order_id]
        default: { return: { cancelled: true } }
    tests:
      - name: recovers
        input: Where are ORD-1 and ORD-2?
        assert:
          - { type: tool_called, tool: lookup_order, args: { order_id: ORD-1 } }
          - { type: tool_called, tool: lookup_order, args: { order_id: ORD-2 }, times: 2 }
          - { type: tool_not_called, tool: cancel_order }
          - { type: contains, value: "I found: delivered, timed out, pending" }
      - name: asks-first
        conversation:
          - { user: Cancel ORD-1, assert: [{ type: tool_not_called, tool: cancel_order }] }
          - user: "Yes, I am sure"
            assert: [{ type: tool_called, tool: cancel_order, args: { order_id: ORD-1, reason: "wünscht der Kunde €" } }]
        assert: [{ type: contains, value: "Done: true" }]
      - { name: refuses, input: Sing!, assert: [{ type: contains, value: "你好 — I cannot" }] }
      - { name: fails, input: Sing!, assert: [{ type: contains, value: a song }] }
`;

interface Report {
  exitCode: number;
  suites: {
    tests: {
      name: string;
      status: string;
      assertions: { type: string; pass: boolean; message: string }[];
      trials: { output: string; toolCalls: { tool: string; args: unknown; result: unknown }[] }[];
    }[];
  }[];
}

async function verdictOf(fake: FakeModel, isStream: boolean) {
  const server = await startServer((request, response) => {
    const received = { url: request.path, headers: request.headers, body: request.body };
    expect(fake.isStream(received)).toBe(isStream);
    const { headers, body } = fake.reply(answer(fake.read(received)), isStream);
    response.writeHead(200, headers);
    response.end(body);
  });
  onTestFinished(() => server.close());
  const cwd = makeProject({ "kindlm.yaml": configOf(fake.config(server.url), isStream) });
  const ran = await runCli(["test", "--reporter", "json"], { cwd, env: fake.env });
  const { exitCode, suites } = JSON.parse(ran.stdout) as Report;
  return {
    exitCode,
    requests: server.requests.length,
    tests: suites.flatMap(({ tests }) =>
      tests.map(({ name, status, assertions, trials }) => ({
        name,
        status,
        assertions: assertions.map(({ type, pass, message }) => ({ type, pass, message })),
        outputs: trials.map(({ output }) => output),
        calls: trials.flatMap(({ toolCalls }) => toolCalls.map(({ tool, args, result }) => ({ tool, args, result }))),
      })),
    ),
  };
}

describe("the same conversation", () => {
  it.each(everyFake.flatMap(([name, fake]) => [false, true].map((isStream) => ({ name, fake, isStream }))))(
    "has the same verdict through $name, streamed: $isStream",
    async ({ fake, isStream }) => {
      const verdict = await verdictOf(fake, isStream);
      expect(verdict.tests.map(({ name, status }) => [name, status])).toEqual([
        ["recovers", "passed"],
        ["asks-first", "passed"],
        ["refuses", "passed"],
        ["fails", "failed"],
      ]);
      // One file for all: any difference, down to a word of a message, is a failure.
      await expect(`${JSON.stringify(verdict, null, 2)}\n`).toMatchFileSnapshot("__golden__/same-verdict.json");
    },
  );
});
