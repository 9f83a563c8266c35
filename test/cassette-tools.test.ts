import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { casesOf, cassettesIn, configTop, runWith, secretKey, serve, steadyText } from "./support/cassette-project.js";
import { importFetch } from "../packages/core/src/__fixtures__/light-fetch.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { sendJson, type Handler, type ReceivedRequest } from "../packages/core/src/__fixtures__/start-server.js";

interface ChatRequest {
  messages: { role: string; content: string }[];
  tools?: { function: { name: string } }[];
}

/** Calls every tool on offer once, side by side, then repeats what they answered. */
const callsAll: Handler = (request: ReceivedRequest, response) => {
  const { messages, tools = [] } = request.json as ChatRequest;
  const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  const toolCalls = tools.map(({ function: { name } }) => ({ id: `c_${name}`, tool: name, args: { id: "ORD-1" } }));
  sendJson(response, 200, chatCompletion(results.length > 0 ? { text: results.join(" | ") } : { toolCalls }));
};

const commandTool = `printf x >> ran-command
printf '{"by":"command","key":"%s"}' "$LOCAL_KEY"
`;
const failingProgram = `printf x >> ran-failing
echo "no such order" >&2
exit 2
`;
const moduleTools = `
import { appendFileSync } from "node:fs";
const mark = (name) => appendFileSync(new URL(name, import.meta.url), "x");
mark("loaded-module");
const input_schema = { type: "object", properties: { id: { type: "string" } } };
const attributes = { readonly: true, noEffect: true };
export const tools = [
  {
    name: "of_module", description: "Says so", input_schema, attributes,
    exec({ id }, { emit }) { mark("ran-module"); emit("asked", { id }); return { by: "module", id }; },
  },
  { name: "throws", input_schema, attributes, exec() { mark("ran-throws"); throw new Error("broken inside"); } },
];
`;
const mcpServer = `
const { appendFileSync } = require("node:fs");
appendFileSync("started-mcp", "x");
const tool = (name) => ({ name, description: "From MCP", inputSchema: { type: "object" } });
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const send = (result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  const serverInfo = { name: "own", version: "1" };
  if (method === "initialize") send({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
  else if (method === "tools/list") send({ tools: [tool("of_mcp"), tool("hidden")] });
  else if (method === "tools/call") send({ content: [{ type: "text", text: "by mcp " + JSON.stringify(params.arguments) }] });
});
`;

/**
 * The same project in a folder of its own, so that a module of it that a run has loaded in this process is another one.
 */
function copyOf(cwd: string): string {
  const copy = makeProject({});
  cpSync(cwd, copy, { recursive: true });
  return copy;
}

const traces = ["ran-command", "ran-failing", "loaded-module", "ran-module", "ran-throws", "started-mcp"];

async function world() {
  const model = await serve(callsAll);
  const service = await serve(({ number }, response) => sendJson(response, 200, { by: "http", number }));
  const node = JSON.stringify(process.execPath);
  const suite = `suites:
  - name: tools
    mcp_servers: [{ name: own, command: [${node}, server.cjs], exclude: [hidden] }]
    tools:
      - { name: of_command, command: [sh, program.sh], parameters: { type: object } }
      - { name: failing, command: [sh, failing.sh], parameters: { type: object } }
      - { name: slow, command: [sleep, "60"], parameters: { type: object }, timeout: 100ms }
      - { name: of_http, url: "${service.url}/orders?id={{args.id}}", parameters: { type: object } }
      - { module: "./tools.mjs#tools" }
      - { name: simulated, parameters: { type: object }, responses: [{ return: { by: simulation } }] }
    tests:
      - name: all
        input: go
        assert:
          - { type: tool_called, tool: of_mcp }
          - { type: contains, value: by mcp }
          - { type: contains, value: broken inside }
          - { type: event, name: asked }
`;
  const cwd = makeProject({
    "kindlm.yaml": configTop(model.url) + suite,
    "program.sh": commandTool,
    "failing.sh": failingProgram,
    "tools.mjs": moduleTools,
    "server.cjs": mcpServer,
  });
  return { cwd, model, service };
}

function seenIn(cwd: string): Record<string, number> {
  return Object.fromEntries(
    traces.map((name) => [name, existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), "utf8").length : 0]),
  );
}

const once = Object.fromEntries(traces.map((name) => [name, 1]));

describe("tools outside of KindLM", () => {
  it("replay without being started, loaded or asked", async () => {
    const { cwd, model, service } = await world();
    const recorded = await runWith("record", cwd);
    expect(recorded).toMatchObject({ code: 0 });
    expect(seenIn(cwd)).toEqual(once);
    expect(service.requests).toHaveLength(1);
    await Promise.all([model.close(), service.close()]);

    const copy = copyOf(cwd);
    const replayed = await runWith("replay", copy);
    expect(replayed).toMatchObject({ code: 0 });
    expect(steadyText(replayed)).toBe(steadyText(recorded));
    expect(seenIn(copy)).toEqual(once);
    const [trial] = casesOf(replayed)[0]?.trials ?? [];
    const outcomes = trial?.toolCalls.map(({ tool, result, error }) => [tool, error?.message ?? result]);
    expect(Object.fromEntries(outcomes ?? [])).toEqual({
      of_command: { by: "command", key: "[redacted]" },
      failing: expect.stringMatching(/ended with exit code 2: no such order$/) as string,
      slow: "The tool did not answer within 100 ms",
      of_http: { by: "http", number: 1 },
      of_module: { by: "module", id: "ORD-1" },
      throws: "broken inside",
      simulated: { by: "simulation" },
      of_mcp: 'by mcp {"id":"ORD-1"}',
    });
    expect(trial?.toolCalls.find(({ tool }) => tool === "of_module")?.events).toEqual([
      { name: "asked", data: { id: "ORD-1" }, at: expect.any(Number) },
    ]);
    const [file = ""] = Object.values(cassettesIn(cwd));
    expect(file).not.toContain(secretKey);
    // A simulated tool stands in the config and is played by it.
    expect(file).not.toContain('"tool":"simulated"');
  });

  it("are missed like a request when a call is new", async () => {
    const { cwd: original } = await world();
    expect(await runWith("record", original)).toMatchObject({ code: 0 });
    const cwd = copyOf(original);
    const file = join(cwd, ".kindlm/cassettes/tools/all.jsonl");
    const lines = readFileSync(file, "utf8").trim().split("\n");
    writeFileSync(file, lines.filter((line) => !line.includes('"tool":"of_command"')).join("\n"));
    const [missed] = casesOf(await runWith("replay", cwd));
    expect(missed?.error).toMatchObject({
      code: "PROVIDER_CASSETTE_MISS",
      message:
        'No recording of the call of_command({id: "ORD-1"}): nothing similar in .kindlm/cassettes/tools/all.jsonl',
    });
    expect(seenIn(cwd)).toEqual(once);

    // What is there is replayed; what is not, and what failed for a while, is done.
    expect(await runWith("auto", cwd)).toMatchObject({ code: 0 });
    expect(seenIn(cwd)).toEqual({ ...once, "ran-command": 2, "ran-throws": 2, "loaded-module": 2 });
    expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(lines.length);

    writeFileSync(file, lines.filter((line) => !line.startsWith('{"tools":"mcp own"')).join("\n"));
    const [unlisted] = casesOf(await runWith("replay", cwd));
    expect(unlisted?.error).toMatchObject({
      code: "PROVIDER_CASSETTE_MISS",
      message: "No recording of the tools of mcp own in .kindlm/cassettes/tools/all.jsonl",
    });
  });
});

describe("others that are asked over HTTP", () => {
  it("replay too: an agent that is a service, with its session, and a user that a model plays", async () => {
    const sessions: string[] = [];
    const goals: string[] = [];
    const agent = await serve(({ json, number }, response) => {
      const { session, text } = json as { session: string; text: string };
      sessions.push(session);
      sendJson(response, 200, { text: `answer ${number} to ${text} in ${session}` });
    });
    const model = await serve((request, response) => {
      const { messages } = request.json as ChatRequest;
      const [goal = ""] = /###GOAL_REACHED_\w+###/.exec(JSON.stringify(messages)) ?? [];
      goals.push(goal);
      const isLast = messages.filter(({ role }) => role === "assistant").length >= 2;
      sendJson(response, 200, chatCompletion({ text: isLast ? `Thanks\n${goal}` : `question ${request.number}` }));
    });
    const suite = `suites:
  - name: service
    tests:
      - name: talk
        target: { url: "${agent.url}/chat", body: { session: "{{session}}", text: "{{input}}" }, response: { text: text } }
        simulated_user: { goal: an answer, model: m }
        assert: [{ type: contains, value: "answer 2" }, { type: conversation_ended, by: goal }]
`;
    const cwd = makeProject({ "kindlm.yaml": configTop(model.url) + suite });
    const recorded = await runWith("record", cwd);
    expect(recorded).toMatchObject({ code: 0 });
    expect(new Set(sessions).size).toBe(1);
    await Promise.all([agent.close(), model.close()]);
    const replayed = await runWith("replay", cwd);
    expect(replayed).toMatchObject({ code: 0, report: { summary: { replayed: 5 } } });
    // How the user ends the conversation is new with each seed, and a recording serves all of them.
    expect(await runWith("replay", cwd, "--seed", "5")).toMatchObject({
      code: 0,
      report: { summary: { replayed: 5 } },
    });
    expect(new Set(goals).size).toBe(1);
    expect(Object.values(cassettesIn(cwd)).join("")).not.toContain(goals[0]);
    const withoutSession = (run: typeof recorded): string =>
      steadyText(run).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
    expect(withoutSession(replayed)).toBe(withoutSession(recorded));
    // The session of a recording is none of a replay.
    expect(Object.values(cassettesIn(cwd)).join("")).not.toContain(sessions[0]);
  });

  it("replay too: the models that a program under test asks by itself", async () => {
    const model = await serve(({ number }, response) =>
      sendJson(response, 200, chatCompletion({ text: `answer ${number}` })),
    );
    const program = `${importFetch}
const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } = process.env;
let input = "";
for await (const piece of process.stdin) input += piece;
const body = JSON.stringify({ model: "m-1", messages: [{ role: "user", content: input }] });
const headers = { "content-type": "application/json", authorization: "Bearer " + key };
const reply = await fetch(url + "/chat/completions", { method: "POST", headers, body });
console.log((await reply.json()).choices[0].message.content);
`;
    const suite = `suites:
  - name: program
    target: { command: [${JSON.stringify(process.execPath)}, agent.mjs], proxy: true }
    tests: [{ name: t, input: hi, runs: 2, assert: [{ type: contains, value: answer }] }]
`;
    const cwd = makeProject({ "kindlm.yaml": configTop(model.url) + suite, "agent.mjs": program });
    const recorded = await runWith("record", cwd);
    expect(recorded).toMatchObject({ code: 0, report: { summary: { requests: 2 } } });
    await model.close();
    const replayed = await runWith("replay", cwd);
    expect(replayed).toMatchObject({ code: 0, report: { summary: { replayed: 2 } } });
    expect(steadyText(replayed)).toBe(steadyText(recorded));
  });
});
