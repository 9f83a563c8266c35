import { describe, expect, it, onTestFinished } from "vitest";
import { makeProject } from "../__fixtures__/make-project.js";
import { sendJson, startServer, refusedUrl } from "../__fixtures__/start-server.js";
import type { RunEvent } from "../engine/run-event.js";
import type { TrialResult } from "../engine/run-result.js";
import { runTests } from "../commands/run-tests.js";

const tools = `
    tools:
      - name: lookup
        parameters: { type: object, properties: { id: { type: string } }, required: [id] }
        responses: [{ when: { id: gone }, error: { type: logical, message: "no such order", retryable: false } }]
        default: { return: { id: "{{args.id}}", status: delivered } }`;

const any = "[{ type: turns, min: 0 }]";

interface Setup {
  target: string;
  files?: Readonly<Record<string, string>>;
  /** The tests as YAML; default: one that says "Where is it?". */
  tests?: string;
  top?: string;
  env?: Readonly<Record<string, string>>;
}

async function run({ target, files = {}, tests, top = "", env = {} }: Setup) {
  const written = tests ?? `\n      - { name: t, input: "Where is it?", assert: ${any} }`;
  const config = `version: 1\n${top}\nsuites:\n  - name: s\n    target: ${target}${tools}\n    tests:${written}\n`;
  const cwd = makeProject({ "kindlm.yaml": config, ...files });
  const events: RunEvent[] = [];
  const environment = { env: { PATH: process.env["PATH"], ...env }, cwd };
  const ran = await runTests({ paths: [] }, environment, (event) => events.push(event));
  if (!ran.success) throw new Error(JSON.stringify(ran.error));
  const trials: TrialResult[] = [];
  for await (const trial of ran.data.trials()) trials.push(trial);
  const [trial] = trials;
  if (trial === undefined) throw new Error("no trial");
  return { trial, trials, events, cwd };
}

/** A program that talks in JSON lines; the body is called for each message with `say`. */
const liner = (body: string): string => `
  import { createInterface } from "node:readline";
  const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
  const state = {};
  const take = async (m) => { ${body} };
  for await (const line of createInterface({ input: process.stdin })) await take(JSON.parse(line));`;

const lines = `{ command: [node, agent.mjs], protocol: json_lines }`;
const said = (text: string): string => `if (m.type === "user") { ${text} }`;

describe("a plain command", () => {
  const echo = `let text = ""; for await (const part of process.stdin) text += part;
    console.log(JSON.stringify([process.argv.slice(2), text, process.env.KINDLM_SYSTEM_PROMPT ?? null, process.env.GREETING ?? null]));`;

  it("gets the prompt on stdin and answers on stdout", async () => {
    const { trial } = await run({
      target: `{ command: [node, agent.mjs, "{{who}}"], env: { GREETING: "\${HELLO} {{who}}" } }`,
      files: { "agent.mjs": echo },
      top: "vars: { who: Ada }",
      env: { HELLO: "hi" },
    });
    expect(JSON.parse(trial.output)).toEqual([["Ada"], "Where is it?", null, "hi Ada"]);
    expect(trial).toMatchObject({ caseId: "s/t@command", status: "passed", finishReason: "stop", attempts: 0 });
    expect(trial.messages).toEqual([
      { role: "user", content: "Where is it?" },
      { role: "assistant", text: trial.output, toolCalls: [] },
    ]);
    expect(trial.turns).toMatchObject([{ turn: 1, userTurn: 1, usage: null, costUsd: null }]);
  });

  it("gets the prompt as an argument, whatever is in it, and nothing on stdin then", async () => {
    const { trial } = await run({
      target: `{ command: [node, agent.mjs, "q={{input}}"], id: shop }`,
      files: { "agent.mjs": echo },
      tests: `\n      - { name: t, input: '$(touch x); "a" {{row.q}}', rows: [{ id: r, q: "\`b\` {{c}}" }], assert: ${any} }`,
    });
    expect(JSON.parse(trial.output)).toEqual([['q=$(touch x); "a" `b` {{c}}'], "", null, null]);
    expect(trial.caseId).toBe("s/t[r]@shop");
  });

  it("runs in a shell only when asked, and then reads the prompt from its environment", async () => {
    const { trial } = await run({ target: `{ command: 'printf "%s|" "$KINDLM_INPUT"; cat', shell: true }` });
    expect(trial.output).toBe("Where is it?|Where is it?");
  });

  it("is started again for each message of a conversation, in one session", async () => {
    const { trial } = await run({
      target: `{ command: [node, -e, 'console.log([process.env.KINDLM_TURN, process.env.KINDLM_SESSION].join(" "))'] }`,
      tests: `\n      - { name: t, conversation: [{ user: a }, { user: b }], assert: ${any} }`,
    });
    const answers = trial.messages.flatMap((message) => (message.role === "assistant" ? [message.text] : []));
    const [first = "", second = ""] = answers;
    expect([first.split(" ")[0], second.split(" ")[0]]).toEqual(["1", "2"]);
    expect(first.split(" ")[1]).toBe(second.split(" ")[1]);
    expect(trial.turns.map(({ userTurn }) => userTurn)).toEqual([1, 2]);
  });

  it("takes an exit code as data where there is an answer", async () => {
    const { trial } = await run({ target: `{ command: [node, -e, 'console.log("no"); process.exitCode = 3'] }` });
    expect(trial).toMatchObject({ status: "passed", output: "no", finishReason: "exit_code_3" });
  });

  it("calls the tools of the test over HTTP", async () => {
    const agent = `
      const url = process.env.KINDLM_TOOLS_URL, headers = { authorization: "Bearer " + process.env.KINDLM_TOKEN };
      const call = async (id, auth = headers) => { const r = await fetch(url + "/lookup", { method: "POST", headers: auth, body: JSON.stringify({ id }) }); return [r.status, await r.text()]; };
      const list = await (await fetch(url, { headers })).json();
      console.log(JSON.stringify([list.tools.map((tool) => tool.name), await call("A"), await call("gone"), await call(7), (await call("A", {}))[0]]));`;
    const { trial, events } = await run({ target: "{ command: [node, agent.mjs] }", files: { "agent.mjs": agent } });
    const [names, found, gone, wrong, stranger] = JSON.parse(trial.output) as [
      string[],
      [number, string],
      [number, string],
      [number, string],
      number,
    ];
    expect(names).toEqual(["lookup"]);
    expect(found).toEqual([200, '{"id":"A","status":"delivered"}']);
    expect([gone[0], JSON.parse(gone[1])]).toEqual([
      422,
      { ok: false, error: "no such order", errorType: "logical", retryable: false, recommendations: [] },
    ]);
    expect([wrong[0], wrong[1].includes("Invalid parameters")]).toEqual([400, true]);
    expect(stranger).toBe(401);
    expect(trial.toolCalls).toMatchObject([
      { tool: "lookup", args: { id: "A" }, result: { id: "A", status: "delivered" } },
      { tool: "lookup", args: { id: "gone" }, error: { errorType: "logical", retryable: false } },
      { tool: "lookup", args: { id: 7 }, error: { errorType: "validation" } },
    ]);
    const starts = events.filter(({ type }) => type === "tool:start").length;
    expect([starts, events.filter(({ type }) => type === "tool:end").length]).toEqual([3, 3]);
  });
});

describe("a command that talks in JSON lines", () => {
  it("is told who it is, asks for tools, reports its own, and goes through a conversation in one process", async () => {
    const body = `
      if (m.type === "start") state.start = m;
      if (m.type === "user" && m.turn === 1) say({ type: "tool_call", id: "c1", tool: "lookup", args: { id: "A" } });
      if (m.type === "user" && m.turn === 2) {
        say({ type: "tool_call", id: "c2", tool: "own", args: { a: 1 }, result: [1] });
        say({ type: "tool_call", id: "c3", tool: "own", args: { a: 2 }, error: "broken" });
        say({ type: "text", text: "pid " }); say({ type: "text", text: String(process.pid === state.pid) });
        say({ type: "usage", input_tokens: 10, output_tokens: 4, reasoning_tokens: 1, cost_usd: 0.5, model: "big" });
        say({ type: "usage", input_tokens: 1, output_tokens: 1, cost_usd: 0.25 });
        say({ type: "done", finish_reason: "stop" });
      }
      if (m.type === "tool_result") { state.pid = process.pid; say({ type: "text", text: JSON.stringify([m, state.start.tools, state.start.system, m.content]) }); say({ type: "done" }); }`;
    const { trial } = await run({
      target: lines,
      files: { "agent.mjs": liner(body) },
      tests: `\n      - { name: t, conversation: [{ user: a }, { user: b }], assert: ${any} }`,
    });
    expect(trial).toMatchObject({ status: "passed", output: "pid true", costUsd: null, servedBy: "big" });
    const [first] = trial.messages.flatMap((message) => (message.role === "assistant" ? [message.text] : []));
    const value = { id: "A", status: "delivered" };
    expect(JSON.parse(first ?? "")).toEqual([
      { type: "tool_result", id: "c1", ok: true, value, content: JSON.stringify(value) },
      [expect.objectContaining({ name: "lookup" })],
      null,
      JSON.stringify(value),
    ]);
    expect(trial.turns[1]).toMatchObject({
      usage: { inputTokens: 11, outputTokens: 5, reasoningTokens: 1 },
      costUsd: 0.75,
    });
    expect(trial.toolCalls).toMatchObject([
      { tool: "lookup", userTurn: 1, result: value },
      { tool: "own", userTurn: 2, args: { a: 1 }, result: [1] },
      { tool: "own", userTurn: 2, args: { a: 2 }, error: { errorType: "runtime", message: "broken" } },
    ]);
  });

  it("gets history and images as they are", async () => {
    const { trial } = await run({
      target: lines,
      files: {
        "agent.mjs": liner(
          `if (m.type === "start") state.h = m.history; ${said(`say({ type: "text", text: JSON.stringify([state.h, m.content]) }); say({ type: "done" });`)}`,
        ),
      },
      tests: `
      - name: t
        messages:
          - { role: user, content: a }
          - { role: assistant, content: b }
          - { role: user, content: [{ type: text, text: c }, { type: image, url: "https://example.com/x.png" }] }
        assert: ${any}`,
    });
    expect(JSON.parse(trial.output)).toEqual([
      [
        { role: "user", content: "a" },
        { role: "assistant", text: "b", toolCalls: [] },
      ],
      [
        { type: "text", text: "c" },
        { type: "image", source: { kind: "url", url: "https://example.com/x.png" } },
      ],
    ]);
  });

  it("has answered when it ends in good order", async () => {
    const agent = liner(said(`say({ type: "text", text: "bye" }); process.exit(0);`));
    const { trial } = await run({ target: lines, files: { "agent.mjs": agent } });
    expect(trial).toMatchObject({ status: "passed", output: "bye", finishReason: "stop" });
  });

  it("is errored by an exhausted max_tool_calls", async () => {
    const agent = liner(
      `if (m.type !== "start") say({ type: "tool_call", id: "c" + Math.random(), tool: "lookup", args: { id: "A" } });`,
    );
    const { trial } = await run({ target: lines, files: { "agent.mjs": agent }, top: "limits: { max_tool_calls: 3 }" });
    expect(trial.error).toMatchObject({
      code: "ENGINE_BUDGET_EXCEEDED",
      details: { limit: "max_tool_calls", value: 3 },
    });
    expect(trial.toolCalls).toHaveLength(4);
  });
});

describe("a call whose result the agent does not wait for", () => {
  const test = (timeouts: string, more = ""): string =>
    `\n      - { name: t, input: hi, faults: [{ tool: lookup, kind: hang }], timeouts: ${timeouts}, assert: ${any}${more} }`;
  const call = `type: "tool_call", id: "1", tool: "lookup", args: { id: "A" }`;
  const liners = liner(said(`say({ ${call} }); say({ type: "text", text: "bye" }); say({ type: "done" });`));
  const module = `export default (input, { tools }) => { void tools.call("lookup", { id: "A" }); return "bye"; };`;

  it.each([
    ["lines", lines, liners],
    ["a module", `{ module: "./agent.mjs" }`, module],
  ])("is on the record with what came of it: %s", async (_name, target, agent) => {
    const files = { "agent.mjs": agent };
    const { trial } = await run({ target, files, tests: test("{ tool: 50ms }") });
    expect(trial).toMatchObject({ status: "passed", toolCalls: [{ tool: "lookup", error: { errorType: "aborted" } }] });
    const { trial: ended } = await run({ target, files, tests: test("{ tool: 50ms }", ", on_tool_error: fail") });
    expect(ended).toMatchObject({ status: "failed", assertions: [{ type: "on_tool_error" }, { pass: true }] });
  });

  it("holds no trial longer than its deadline", async () => {
    const tests = test("{ tool: 1h, trial: 200ms }");
    const { trial } = await run({ target: `{ module: "./agent.mjs" }`, files: { "agent.mjs": module }, tests });
    expect(trial.error).toMatchObject({ code: "ENGINE_TIMEOUT" });
  });
});

describe("what a program does wrong", () => {
  it.each([
    [
      "a crash",
      "{ command: [node, agent.mjs] }",
      `console.error("x"); throw new TypeError("oops");`,
      "unexpected",
      /^node ended with exit code 1 before it answered: TypeError: oops$/,
    ],
    [
      "a signal",
      "{ command: [node, agent.mjs] }",
      `console.log("half"); process.kill(process.pid, "SIGKILL");`,
      "unexpected",
      /^node was ended by SIGKILL before it answered$/,
    ],
    [
      "a missing program",
      "{ command: [no-such-program-anywhere] }",
      "",
      "not_found",
      /no-such-program-anywhere cannot be started/,
    ],
    ["an answer without an end", "{ command: ['yes'] }", "", "malformed_message", /^yes wrote more than 10 MiB$/],
    [
      "a line that is no JSON",
      lines,
      liner(said(`console.log("hello");`)),
      "malformed_message",
      /cannot be read: it is no JSON object$/,
    ],
    [
      "a line without its parts",
      lines,
      liner(said(`say({ type: "text" });`)),
      "malformed_message",
      /text: "text" is missing/,
    ],
    [
      "an unknown type",
      lines,
      liner(said(`say({ type: "thought" });`)),
      "unexpected_message",
      /unknown type "thought"/,
    ],
    [
      "an error of its own",
      lines,
      liner(said(`say({ type: "error", message: "no key" });`)),
      "unexpected",
      /cannot answer: no key$/,
    ],
    [
      "an end in the middle",
      lines,
      liner(said(`say({ type: "text", text: "x" }); process.exit(4);`)),
      "unexpected",
      /ended with exit code 4 before it answered/,
    ],
    [
      "a throw",
      `{ module: "./agent.mjs#run" }`,
      `export const run = () => { throw new Error("oops"); };`,
      "unexpected",
      /^run of .*agent\.mjs threw: oops$/,
    ],
    [
      "no answer",
      `{ module: "./agent.mjs#run" }`,
      `export const run = () => 5;`,
      "malformed_message",
      /is no answer: .*must be a mapping/,
    ],
    ["no export", `{ module: "./agent.mjs#run" }`, `export const other = 1;`, "not_found", /has no export "run"/],
  ])("%s is a TARGET_ERROR", async (_name, target, agent, kind, message) => {
    const { trial } = await run({ target, files: { "agent.mjs": agent } });
    expect(trial.error).toMatchObject({
      code: "TARGET_ERROR",
      message: expect.stringMatching(message),
      details: { kind },
    });
  });

  it("talks when nothing is asked of it", async () => {
    // Both lines in one piece, so that the second is there before anything else is asked.
    const both = `process.stdout.write('{"type":"text","text":"a"}\\n{"type":"done"}\\n{"type":"text","text":"b"}\\n')`;
    const agent = liner(said(both));
    const { trial } = await run({
      target: lines,
      files: { "agent.mjs": agent },
      tests: `\n      - { name: t, conversation: [{ user: a }, { user: b }], assert: ${any} }`,
    });
    expect(trial.error).toMatchObject({ code: "TARGET_ERROR", details: { kind: "unexpected_message" } });
    expect(trial.error?.message).toBe('The agent wrote "text" when nothing was asked of it');
  });

  it("keeps the end of stderr", async () => {
    const agent = `process.stderr.write("a".repeat(20_000) + "é the end\\n"); process.exitCode = 1;`;
    const { trial } = await run({ target: "{ command: [node, agent.mjs] }", files: { "agent.mjs": agent } });
    const stderr = trial.error?.code === "TARGET_ERROR" ? (trial.error.details?.stderr ?? "") : "";
    expect([stderr.length < 8_200, stderr.endsWith("aé the end\n")]).toEqual([true, true]);
  });

  it("says nothing at all", async () => {
    const { trial } = await run({ target: `{ command: [node, -e, ""] }` });
    expect(trial.error).toMatchObject({ code: "ENGINE_EMPTY_RESPONSE" });
  });

  it("takes too long, which is the trial's deadline", async () => {
    const agent = `console.error("still thinking"); setInterval(() => {}, 1000);`;
    const { trial } = await run({
      target: "{ command: [node, agent.mjs] }",
      files: { "agent.mjs": agent },
      top: "timeouts: { trial: 500ms }",
    });
    expect(trial.error).toMatchObject({
      code: "ENGINE_TIMEOUT",
      details: { scope: "trial", stderr: "still thinking\n" },
    });
  });
});

describe("a module", () => {
  it("gets tools, state and history, and tells what it did", async () => {
    const agent = `export async function run(input, ctx) {
      const found = await ctx.tools.call("lookup", { id: "gone" });
      ctx.state.count = (ctx.state.count ?? 0) + 1;
      return { text: [input, ctx.state.count, ctx.userTurn, ctx.history.length, ctx.options.language, found.error.message].join("|"),
        toolCalls: [{ tool: "own", result: 1 }], usage: { inputTokens: 3, outputTokens: 2 }, costUsd: 0.1, model: "mine" };
    }`;
    const { trial } = await run({
      target: `{ module: "./agent.mjs#run", with: { language: en } }`,
      files: { "agent.mjs": agent },
      tests: `\n      - { name: t, conversation: [{ user: a }, { user: b }], assert: ${any} }`,
    });
    expect(trial).toMatchObject({
      caseId: "s/t@module",
      status: "passed",
      output: "b|2|2|2|en|no such order",
      costUsd: 0.2,
      servedBy: "mine",
    });
    expect(trial.usage).toEqual({ inputTokens: 6, outputTokens: 4 });
    expect(trial.toolCalls.map(({ tool, userTurn }) => [tool, userTurn])).toEqual([
      ["lookup", 1],
      ["own", 1],
      ["lookup", 2],
      ["own", 2],
    ]);
  });

  it("cannot hold a trial, even when it ignores its signal", async () => {
    const { trial } = await run({
      target: `{ module: "./agent.mjs" }`,
      files: { "agent.mjs": "export default () => new Promise(() => {});" },
      top: "timeouts: { trial: 200ms }",
    });
    expect(trial.error).toMatchObject({ code: "ENGINE_TIMEOUT" });
  });
});

describe("an HTTP service", () => {
  it("is asked with its own session, and read where its config says", async () => {
    const server = await startServer(({ json, headers, path }, response) => {
      const { message, session } = json as { message: string; session: string };
      const calls = [
        { name: "own", arguments: '{"a":1}', result: 2 },
        { function: { name: "other", arguments: "{}" }, error: "down" },
      ];
      const heard = [message, session === "s-2", headers["x-team"], path].join("|");
      sendJson(response, 200, {
        reply: { parts: [{ text: heard }] },
        steps: calls,
        usage: { prompt_tokens: 5, completion_tokens: 1 },
        id: "s-2",
      });
    });
    onTestFinished(() => server.close());
    const { trial } = await run({
      target: `{ url: "\${URL}/chat?q={{input}}", headers: { X-Team: "{{who}}" }, body: { message: "{{input}}", session: "{{session}}" },
        response: { text: reply.parts.0.text, tool_calls: steps, usage: usage, session: id } }`,
      tests: `\n      - { name: t, conversation: [{ user: "a b" }, { user: c }], assert: ${any} }`,
      top: "vars: { who: red }",
      env: { URL: server.url },
    });
    const answers = trial.messages.flatMap((message) => (message.role === "assistant" ? [message.text] : []));
    expect(answers).toEqual(["a b|false|red|/chat?q=a%20b", "c|true|red|/chat?q=c"]);
    expect(trial).toMatchObject({ caseId: "s/t@http", status: "passed", usage: { inputTokens: 10, outputTokens: 2 } });
    expect(trial.toolCalls).toMatchObject([
      { tool: "own", args: { a: 1 }, result: 2, userTurn: 1 },
      { tool: "other", error: { errorType: "runtime", message: "down" } },
      { tool: "own", userTurn: 2 },
      { tool: "other" },
    ]);
    expect(server.requests[0]?.headers["content-type"]).toBe("application/json");
  });

  it.each([
    [500, { error: "x" }, "unexpected", /HTTP status 500$/],
    [200, { other: 1 }, "malformed_message", /it has no "text"$/],
    [200, "hello", "malformed_message", /it is not JSON$/],
  ])("that answers %s %j is a TARGET_ERROR", async (status, body, kind, message) => {
    const server = await startServer((_request, response) => {
      response.writeHead(status);
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
    onTestFinished(() => server.close());
    const { trial } = await run({ target: `{ url: "${server.url}", response: { text: text } }` });
    expect(trial.error).toMatchObject({
      code: "TARGET_ERROR",
      message: expect.stringMatching(message),
      details: { kind, status },
    });
  });

  it("that is not there was never tested", async () => {
    const { trial } = await run({ target: `{ url: "${await refusedUrl()}" }` });
    expect(trial.error).toMatchObject({ code: "TARGET_ERROR", details: { kind: "not_found" } });
  });

  it("answers with the whole reply where no path says otherwise", async () => {
    const server = await startServer((_request, response) => void response.end(" fine \n"));
    onTestFinished(() => server.close());
    const { trial } = await run({ target: `{ url: "${server.url}" }` });
    expect(trial.output).toBe("fine");
  });
});
