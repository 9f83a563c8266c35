import { lstat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { CliEnvironment } from "../../environment.js";
import { quoteArgument } from "../../arguments/quote-argument.js";
import { UsageError } from "../../errors/usage-error.js";
import type { InvocationOf } from "../command-definition.js";
import type { initCommand } from "./command.js";

export async function execute({ flags, environment }: InvocationOf<typeof initCommand>): Promise<number> {
  const dir = flags.dir ?? (await askForFolder(environment, flags.yes));
  if (dir === null) return 1;
  const root = resolve(environment.cwd, dir);
  const names = Object.keys(agentTemplate);
  const found = await Promise.all(names.map((name) => exists(join(root, name))));
  const taken = names.filter((_, index) => found[index]).map((name) => join(dir, name));
  if (taken.length > 0) {
    throw new UsageError(
      `Nothing was written, because these files exist: ${taken.join(", ")}`,
      "Choose another folder with --dir",
    );
  }
  const writing = Object.entries(agentTemplate).map(async ([name, text]) => {
    // What appeared in the meantime is not overwritten either.
    await environment.files.create(join(root, name), text);
    return `wrote ${join(dir, name)}\n`;
  });
  await environment.stdout.write((await Promise.all(writing)).join(""));
  const config = dir === "." ? "" : ` ${quoteArgument(join(dir, "kindlm.yaml"))}`;
  await environment.stdout.write(
    `\nRun the tests, without a key or a network:\n  ${environment.asTyped("kindlm test")}${config}\n`,
  );
  return 0;
}

async function askForFolder({ ask }: CliEnvironment, asksNothing: boolean): Promise<string | null> {
  if (asksNothing || ask === null) return ".";
  const answer = await ask("Which folder should the tests go into? (.) ");
  return answer === "" ? "." : answer;
}

/** A dangling link counts: writing through it would make a file elsewhere. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** The files of `--template agent`: a shop assistant with two tools, on a scripted model. */
const agentTemplate: Readonly<Record<string, string>> = {
  "kindlm.yaml": `version: 1
project: my-agent

models:
  # Answers from a file: no key, no network, no cost.
  - id: offline
    provider: scripted
    script: scripts/order-agent.yaml
  # A real model: remove the # below, set OPENAI_API_KEY, and put gpt into defaults.models.
  # - id: gpt
  #   provider: openai
  #   model: gpt-4.1-mini
  #   params: { temperature: 0 }

defaults:
  models: [offline]
  runs: 1

suites:
  - name: order-agent
    system_prompt_file: prompts/order-agent.md
    tools:
      # Simulated: nothing is called, the answers below come back.
      - name: lookup_order
        description: Look an order up by its id
        parameters: { type: object, properties: { order_id: { type: string } }, required: [order_id] }
        responses:
          - when: { order_id: ORD-1 }
            return: { order_id: ORD-1, status: delivered }
        default: { error: { type: logical, message: no such order } }
      - name: cancel_order
        description: Cancel an order for good
        parameters: { type: object, properties: { order_id: { type: string } }, required: [order_id] }
        default: { return: { cancelled: true } }
    tests:
      - name: looks-the-order-up
        input: Where is my order ORD-1?
        assert:
          - { type: tool_called, tool: lookup_order, args: { order_id: ORD-1 } }
          - { type: tool_not_called, tool: cancel_order }
          - { type: contains, value: delivered }
      - name: asks-before-cancelling
        conversation:
          - user: Cancel my order ORD-1
            assert:
              - { type: tool_not_called, tool: cancel_order }
          - user: Yes, I am sure
            assert:
              - { type: tool_called, tool: cancel_order, args: { order_id: ORD-1 } }
`,
  "prompts/order-agent.md": `You help customers of a shop with their orders.
Look an order up before you say anything about it. Ask before you cancel one.
`,
  "scripts/order-agent.yaml": `# What the offline model answers. Rules are tried in order for each request; the first that matches is used.
rules:
  - when: { last_tool_result: { status: delivered } }
    reply: { text: Order ORD-1 was delivered. }
  - when: { last_tool_result: { cancelled: true } }
    reply: { text: Order ORD-1 is cancelled. }
  - when: { last_tool_result: { errorType: logical } }
    reply: { text: I could not find that order. }
  - when: { user: { $contains: Where } }
    reply: { tool_calls: [{ tool: lookup_order, args: { order_id: ORD-1 } }] }
  - when: { user: { $contains: Cancel } }
    reply: { text: Shall I really cancel order ORD-1? }
  - when: { user: { $contains: I am sure } }
    reply: { tool_calls: [{ tool: cancel_order, args: { order_id: ORD-1 } }] }
otherwise: { text: I cannot help with that. }
`,
};
