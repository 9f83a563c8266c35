import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { scriptedConfig } from "../packages/core/src/__fixtures__/scripted-config.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { sendJson } from "../packages/core/src/__fixtures__/start-server.js";
import { cassettesIn, configTop, runWith, secretKey, serve, type CassetteRun } from "./support/cassette-project.js";
import { runCli } from "./support/run-cli.js";
import { importFetch } from "../packages/core/src/__fixtures__/light-fetch.js";

/** An agent without an SDK: it sends what the test hands it, and prints the model's answer. */
const agent = `${importFetch}
const ask = async (body) => {
  const headers = { authorization: "Bearer " + process.env.OPENAI_API_KEY, "content-type": "application/json" };
  const url = process.env.OPENAI_BASE_URL + (body.input === undefined ? "/chat/completions" : "/responses");
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
};
const { choices, error } = await ask(JSON.parse(process.argv[2]));
console.log(choices?.[0].message.content ?? "All is well");
`;

async function run(bodies: Readonly<Record<string, object>>, ...args: readonly string[]) {
  const tests = Object.entries(bodies).map(([name, body]) => {
    const target = JSON.stringify({ command: ["node", "agent.mjs", JSON.stringify(body)], proxy: true });
    // Of one test several trials, since starting an agent takes most of the time.
    return `      - { name: ${name}, runs: ${name === "one" ? 2 : 1}, input: go, target: ${target}, assert: [{ type: contains, value: e }] }`;
  });
  const cwd = makeProject({
    "kindlm.yaml": scriptedConfig({ suites: `  - name: s\n    tests:\n${tests.join("\n")}` }),
    "agent.mjs": agent,
  });
  const options = { cwd, env: { PATH: process.env["PATH"] ?? "", COLUMNS: "100" } };
  const { code, stdout, stderr } = await runCli(["test", ...args], options);
  const shown = await runCli(["show", "s/one"], options);
  return { code, stdout, stderr, shown: shown.stdout.replaceAll(/\s+/g, " ") };
}

const messages = [{ role: "user", content: "Where?" }];

describe("the gateway", () => {
  it("tells once what it lost, and shows it in the transcript", async () => {
    const lossy = { messages, metadata: { a: "b" }, verbosity: "low" };
    const { code, stdout, stderr, shown } = await run({ one: lossy, two: lossy, three: { messages } });
    expect(code).toBe(0);
    const warned = `${stdout}\n${stderr}`.replaceAll(/\s+/g, " ");
    const told = "The gateway translated 3 requests of 2 cases for a model with another API than the agent's:";
    expect(warned.split(told)).toHaveLength(2);
    expect(warned).toContain(`${told} dropped metadata, verbosity`);
    expect(shown).toContain("dropped verbosity in 1 request to the model: only OpenAI's models know it");
  });

  it("errors a trial whose request it cannot pass on, though the agent says that all is well", async () => {
    const { code, stdout } = await run({ tomorrow: { messages, a_key_of_tomorrow: 1 } }, "--verbose");
    expect(code).toBe(1);
    const text = stdout.replaceAll(/\s+/g, " ");
    expect(text).toContain("The gateway cannot pass on what the agent asks its model: a_key_of_tomorrow");
    expect(text).toContain("refused a_key_of_tomorrow in 1 request");
    expect(text).not.toMatch(/[1-9]\d* failed/);
  });
});

describe("a cassette", () => {
  it.each([false, true])("holds requests that passed and their replies, and no key (streamed: %s)", async (stream) => {
    const delta = { choices: [{ index: 0, delta: { content: "Recorded e" } }] };
    const end = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
    const server = await serve((_, response) => {
      if (!stream) return sendJson(response, 200, chatCompletion({ text: "Recorded e" }));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`${[delta, end].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`);
    });
    const body = JSON.stringify({ model: "m-1", messages, metadata: { a: "b" }, stream });
    const target = JSON.stringify({ command: ["node", "agent.mjs", body], proxy: true });
    const suites = `suites:
  - { name: s, tests: [{ name: one, input: go, target: ${target}, assert: [{ type: contains, value: Recorded }] }] }`;
    const cwd = makeProject({
      "kindlm.yaml": `${configTop(server.url)}${suites}\n`,
      "agent.mjs": agent
        .replace(".json()", ".text()")
        .replace(/const \{ choices.*\nconsole.*\n/, "console.log(await ask(JSON.parse(process.argv[2])));\n"),
    });
    const recorded = await runWith("record", cwd);
    const replayed = await runWith("replay", cwd);
    expect([recorded.code, replayed.code]).toEqual([0, 0]);
    expect(server.requests.map(({ json }) => json)).toEqual([JSON.parse(body)]);
    expect(outputsOf(replayed)).toEqual(outputsOf(recorded));
    expect(JSON.stringify(cassettesIn(cwd))).not.toContain(secretKey);
    expect(replayed.report.suites[0]?.tests[0]?.trials[0]).toMatchObject({ gateway: { passed: 1, changes: [] } });
  });
});

function outputsOf({ report }: CassetteRun): readonly string[] {
  return report.suites.flatMap(({ tests }) => tests.flatMap(({ trials }) => trials.map(({ output }) => output)));
}
