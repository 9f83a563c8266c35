import { beforeAll, describe, expect, it } from "vitest";
import { afterFile } from "../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { startServer, type LoopbackServer } from "../packages/core/src/__fixtures__/start-server.js";

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const deepest = deep(20_000);

/** What the model of a case answers at first; it says "done" once it knows a result. */
const firstAnswers: Readonly<Record<string, string>> = {
  "deep arguments": deepest,
  "a slow pattern": JSON.stringify({ text: `${"a".repeat(40)}!` }),
  "a deep result": "{}",
  "a long result": "{}",
  "a module result": "{}",
};

interface Report {
  summary: Record<string, number>;
  suites: {
    name: string;
    tests: {
      name: string;
      status: string;
      error: { code: string; message: string } | null;
      assertions?: { message: string }[];
    }[];
  }[];
}

function chatReply(user: string, isAnswered: boolean): string {
  const args = isAnswered ? undefined : firstAnswers[user];
  const name = user.endsWith("result") ? user.replaceAll(" ", "_") : "look";
  const call = { id: "c", type: "function", function: { name, arguments: args } };
  const message =
    args === undefined
      ? { role: "assistant", content: "done" }
      : { role: "assistant", content: null, tool_calls: [call] };
  const reply = { choices: [{ index: 0, finish_reason: args === undefined ? "stop" : "tool_calls", message }] };
  const body = JSON.stringify({ id: "r", model: "m", ...reply });
  return user === "a deep body" ? body.replace("{", `{"x":${deepest},`) : body;
}

/** Anthropic sends arguments as data. */
function anthropicReply(isAnswered: boolean): string {
  const content = isAnswered
    ? '[{"type":"text","text":"done"}]'
    : `[{"type":"tool_use","id":"c","name":"look","input":${deepest}}]`;
  const reason = isAnswered ? "end_turn" : "tool_use";
  return `{"id":"r","model":"m","role":"assistant","content":${content},"stop_reason":"${reason}","usage":{"input_tokens":1,"output_tokens":1}}`;
}

interface Asked {
  messages: { role: string; content: unknown }[];
}

function startModels(): Promise<LoopbackServer> {
  return startServer(({ path, body }, response) => {
    response.setHeader("content-type", "application/json");
    if (path === "/long") return void response.end("x".repeat(10_485_761));
    if (path === "/agent") return void response.end(`{"text":"done","calls":[{"tool":"look","args":${deepest}}]}`);
    const { messages } = JSON.parse(body) as Asked;
    if (path.startsWith("/anthropic")) return void response.end(anthropicReply(messages.length > 1));
    const user = messages.find(({ role }) => role === "user")?.content;
    return void response.end(
      chatReply(
        String(user),
        messages.some(({ role }) => role === "tool"),
      ),
    );
  });
}

const printer = `process.stdin.resume();
process.stdout.write(${JSON.stringify('{"a":')}.repeat(20_000) + 1 + "}".repeat(20_000));
`;
const moduleTools = `export const deep = () => {
  let value = {};
  for (let level = 0; level < 20_000; level += 1) value = { value };
  return value;
};
export const agent = (input, ctx) => ctx.tools.call("look", deep()).then(({ content }) => content);
`;

function project(server: LoopbackServer): string {
  const look = `{ name: look, description: Looks, responses: [{ return: 1 }], parameters: { type: object, properties: { text: { type: string, pattern: "^(a+)+$" } } } }`;
  const asks = (input: string, assertion: string): string =>
    `      - { name: ${input}, input: ${input}, assert: [${assertion}] }\n`;
  const isDone = "{ type: contains, value: done }";
  return makeProject({
    "print.cjs": printer,
    "tools.mjs": moduleTools,
    "kindlm.yaml": `version: 1
retry: disabled
providers:
  chat: { type: openai, base_url: "${server.url}/v1" }
  claude: { type: anthropic, base_url: "${server.url}/anthropic" }
models: [{ id: m, provider: chat, model: m }, { id: c, provider: claude, model: m }]
suites:
  - name: chat
    models: [m]
    tools:
      - ${look}
      - { name: a_deep_result, description: Prints, parameters: { type: object }, command: [node, print.cjs] }
      - { name: a_long_result, description: Reads, parameters: { type: object }, url: "${server.url}/long" }
      - { name: a_module_result, module: tools.mjs#deep }
    tests:
${asks("deep arguments", "{ type: tool_not_called, tool: look }")}${asks("a slow pattern", isDone)}${asks("a deep body", isDone)}${asks("a deep result", "{ type: no_tool_errors }")}${asks("a long result", "{ type: no_tool_errors }")}${asks("a module result", "{ type: no_tool_errors }")}${asks("a harmless question", isDone)}
  - name: claude
    models: [c]
    tools: [${look}]
    tests:
${asks("deep arguments", "{ type: no_tool_errors }")}
  - name: http
    target: { url: "${server.url}/agent", response: { text: text, tool_calls: calls } }
    tests:
${asks("deep arguments", "{ type: tool_not_called, tool: look }")}
  - name: module
    target: { module: "tools.mjs#agent" }
    tools: [${look}]
    tests:
${asks("deep arguments", "{ type: no_tool_errors }")}${asks("a harmless question", "{ type: contains, value: deeper }")}`,
  });
}

interface Found {
  status: string | undefined;
  says: readonly (string | undefined)[];
}

describe("what nests deeper than anybody means it, or is larger", () => {
  let report: Report;

  beforeAll(async () => {
    const server = await startModels();
    afterFile(() => server.close());
    const env = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" };
    const ran = await runCli(["test", "--reporter", "json"], { cwd: project(server), env });
    expect(ran.stdout, ran.stderr).not.toBe("");
    report = JSON.parse(ran.stdout) as Report;
  });

  const found = (suite: string, name: string): Found => {
    const test = report.suites.find((one) => one.name === suite)?.tests.find((one) => one.name === name);
    return {
      status: test?.status,
      says: [test?.error?.message, ...(test?.assertions ?? []).map(({ message }) => message)],
    };
  };
  const refused = 'validation error: "The arguments are nested deeper than 200 levels"';

  it.each([
    ["chat", "deep arguments", "failed", "Expected no call of look"],
    ["claude", "deep arguments", "failed", refused],
    ["module", "deep arguments", "failed", refused],
    ["chat", "a deep result", "failed", "node printed a result that is nested deeper than 200 levels"],
    ["chat", "a long result", "failed", "The service sent a result that is larger than 10 MiB"],
    ["chat", "a module result", "failed", "cannot be written as JSON: it is nested deeper"],
  ])("is an answer to the agent in a tool call: %s, %s", (suite, name, status, words) => {
    expect(found(suite, name)).toEqual({ status, says: [undefined, expect.stringContaining(words)] });
  });

  it.each([
    ["chat", "a deep body", "a body that is nested deeper than 216 levels"],
    ["chat", "a slow pattern", 'The arguments of "look" cannot be checked by its schema: The regular expression'],
    ["http", "deep arguments", "it is nested deeper than 216 levels"],
  ])("is the error of its trial: %s, %s", (suite, name, words) => {
    expect(found(suite, name)).toEqual({ status: "errored", says: [expect.stringContaining(words)] });
  });

  it("is no other test's business", () => {
    expect([found("chat", "a harmless question"), found("module", "a harmless question")]).toMatchObject([
      { status: "passed" },
      { status: "passed" },
    ]);
    expect(report.summary).toMatchObject({ total: 11, passed: 2, failed: 6, errored: 3 });
  });

  it.each([
    ["rows.jsonl", `{"a":1}\n{"a":${deepest}}\n`, "rows.jsonl:2:1"],
    ["rows.json", `[{"a":${deepest}}]`, "rows.json:1:1"],
  ])("is an error with its place in the dataset %s", async (file, text, place) => {
    const cwd = makeProject({
      [file]: text,
      "kindlm.yaml": `version: 1
models: [{ id: m, provider: scripted, script: { rules: [], otherwise: { text: hi } } }]
suites: [{ name: s, tests: [{ name: t, dataset: ${file}, input: hi, assert: [{ type: contains, value: hi }] }] }]
`,
    });
    const ran = await runCli(["test"], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("A row is nested deeper than 20");
    expect(ran.stderr).toContain(place);
  });
});
