import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { scriptedConfig } from "../packages/core/src/__fixtures__/scripted-config.js";
import { runCli } from "./support/run-cli.js";
import { importFetch } from "../packages/core/src/__fixtures__/light-fetch.js";

/** An agent that tries a failed request again once. */
const agent = `${importFetch}
const [, , headers] = process.argv;
const ask = async () => {
  const reply = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
    method: "POST",
    headers: { "x-api-key": process.env.ANTHROPIC_API_KEY, "anthropic-version": "2023-06-01", ...JSON.parse(headers ?? "{}") },
    body: JSON.stringify({ model: "any", max_tokens: 9, messages: [{ role: "user", content: "go" }] }),
  });
  return (await reply.json()).content[0].text;
};
const answered = await ask().catch(ask).catch(() => "no answer");
console.log(answered);
`;

async function run(faults: string, { more = "", headers = "{}", target = "" } = {}, ...args: readonly string[]) {
  const command = JSON.stringify({ command: ["node", "agent.mjs", headers], proxy: true });
  const suites = `  - name: s
    target: ${target === "" ? command : target}
    tests: [{ name: t, input: go, faults: ${faults}, assert: [{ type: contains, value: hello }]${more} }]`;
  const cwd = makeProject({
    "kindlm.yaml": scriptedConfig({ suites, otherwise: "{ text: hello }" }),
    "agent.mjs": agent,
  });
  const options = { cwd, env: { PATH: process.env["PATH"] ?? "", COLUMNS: "120" } };
  const { code, stdout, stderr } = await runCli(args.length > 0 ? args : ["test"], options);
  const shown = args.length > 0 ? "" : (await runCli(["show", "s/t"], options)).stdout;
  return { code, text: `${stdout}\n${stderr}`.replaceAll(/\s+/g, " "), shown: shown.replaceAll(/\s+/g, " ") };
}

describe("faults of the model", () => {
  it("have a case each, and show an agent that recovers from one error and fails at two", async () => {
    const faults = `{ expand: true, list: [
      { model: "*", kind: error, status: 529, call: 1 },
      { id: down, model: "*", kind: error, times: 2 },
      { model: "*", kind: latency, delay: 1ms },
      { model: "*", kind: cut_stream, call: 1 }] }`;
    const { code, text } = await run(faults);
    expect(code).toBe(1);
    expect(text).toContain("t@m+error:model: passed");
    expect(text).toContain("t@m+down: failed");
    expect(text).toContain("t@m+latency:model: passed");
    expect(text).toContain("t@m+cut_stream:model: passed");
  });

  it("are in the transcript, and retries are no turns", async () => {
    const { text, shown } = await run(`[{ id: down, model: "*", kind: error, times: 2 }]`, {
      more: ", limits: { max_turns: 1 }",
    });
    expect(shown).toContain("down, injected into the model");
    expect(text).toContain("1 failed");
  });

  // It has a second in which to start, so that few may start beside it.
  it.concurrent("let an agent fail that waits for ever", async () => {
    const faults = `[{ model: "*", kind: hang, call: 1 }]`;
    const waits = await run(faults, { more: ", timeouts: { trial: 1s }" });
    expect(waits.text).toContain('The fault "hang:model" let the');
    expect(waits.text).toContain("Pass rate 0%");
  });

  it.concurrent("make the trial errored if they never fire, and do not meet requests of sub-agents", async () => {
    const late = await run(`[{ model: "*", kind: error, call: 3 }]`);
    expect(late.text).toContain(
      'The fault "error:model" never fired: it applies to call 3, but the model was called once',
    );
    const noCall = await run(`[{ model: "*", kind: malformed_call }]`);
    expect(noCall.text).toContain("the reply to request 1 had no tool call");
    const aside = await run(`[{ model: "*", kind: error, times: 2 }]`, { headers: '{"x-claude-code-agent-id":"a"}' });
    expect(aside.text).toContain("1 passed");
    const named = await run(`[{ model: "a*", kind: error, times: 2 }]`, { headers: '{"x-claude-code-agent-id":"a"}' });
    expect(named.text).toContain("1 failed");
    expect(named.text).toContain("2 requests to the model do not count as turns: 2 from sub-agents");
  });

  it("are config errors where KindLM does not see the requests", async () => {
    const { code, text } = await run(`[{ model: "*", kind: hang }]`, { target: "model" }, "validate");
    expect(code).not.toBe(0);
    expect(text).toContain("Faults of the model need an agent whose requests to its model go through KindLM");
  });
});
