import { describe, expect, it, onTestFinished } from "vitest";
import { makeProject } from "../__fixtures__/make-project.js";
import { sendJson, startServer } from "../__fixtures__/start-server.js";
import type { TrialResult } from "../engine/run-result.js";
import { runTests } from "../commands/run-tests.js";
import type { Message } from "../transcript/message.js";
import type { TrialToolCall } from "../transcript/trial.js";
import { markOf, rollBackTo } from "./roll-back.js";
import { importFetch } from "../__fixtures__/light-fetch.js";

const retry = `retry_until: { assert: [{ type: contains, value: good }], feedback: "tell: {{reason}}" }`;
const seen = "[{ name: look, default: { return: seen } }]";

interface Setup {
  target: string;
  files?: Readonly<Record<string, string>>;
  top?: string;
  test?: string;
  tools?: string;
}

async function run(setup: Setup): Promise<TrialResult> {
  const { target, files = {}, top = "", test = `input: hi, ${retry}`, tools = seen } = setup;
  const config = `version: 1\n${top}\nsuites:\n  - name: s\n    target: ${target}\n    tools: ${tools}\n    tests: [{ name: t, ${test} }]\n`;
  const cwd = makeProject({ "kindlm.yaml": config, ...files });
  const ran = await runTests({ paths: [] }, { env: { PATH: process.env["PATH"] }, cwd });
  if (!ran.success) throw new Error(JSON.stringify(ran.error));
  for await (const trial of ran.data.trials()) return trial;
  throw new Error("no trial");
}

const said = ({ messages }: TrialResult): readonly unknown[] =>
  messages.map((message) => (message.role === "assistant" ? message.text : message.content));
const feedback = expect.stringMatching(/^hi\n\ntell: Expected the answer to contain "good"/);

/** What an agent that counts its messages by session has answered in the end: in a new one it is at the first again. */
function expectSecondTry(trial: TrialResult): void {
  expect(said(trial)).toEqual([feedback, "good 1"]);
  expect(trial).toMatchObject({ status: "passed", tries: { count: 2, rejected: [{ output: "bad 1" }] } });
  expect(trial.turns.map(({ turn, userTurn, rejectedTry }) => [turn, userTurn, rejectedTry])).toEqual([
    [1, 1, 1],
    [2, 1, undefined],
  ]);
}

describe("an agent that keeps its conversation itself begins again", () => {
  it("as a plain command, with another session", async () => {
    const agent = `printf x >> "$KINDLM_SESSION"
      read -r seen < "$KINDLM_SESSION"
      case "$(cat)" in *tell:*) echo "good \${#seen}";; *) echo "bad \${#seen}";; esac`;
    expectSecondTry(await run({ target: "{ command: [sh, agent.sh] }", files: { "agent.sh": agent } }));
  });

  it("as a command that talks in lines, with another process", async () => {
    const agent = `count=0
      while read -r line; do
        case "$line" in *'"type":"user"'*) count=$((count + 1));; *) continue;; esac
        case "$line" in *tell:*) said=good;; *) said=bad;; esac
        echo '{"type":"tool_call","id":"a","tool":"look","args":{},"result":1}'
        echo '{"type":"text","text":"'"$said $count"'"}'
        echo '{"type":"done"}'
      done`;
    const target = "{ command: [sh, agent.sh], protocol: json_lines }";
    const trial = await run({ target, files: { "agent.sh": agent } });
    expectSecondTry(trial);
    expect(trial.toolCalls.map(({ userTurn, rejectedTry }) => [userTurn, rejectedTry])).toEqual([
      [1, 1],
      [1, undefined],
    ]);
  });

  it("as an HTTP service, with another session", async () => {
    const counts = new Map<string, number>();
    const server = await startServer((request, response) => {
      const { session, input } = JSON.parse(request.body) as { session: string; input: string };
      const count = (counts.get(session) ?? 0) + 1;
      counts.set(session, count);
      sendJson(response, 200, { text: `${input.includes("tell:") ? "good" : "bad"} ${count}` });
    });
    onTestFinished(() => server.close());
    const body = `{ input: "{{input}}", session: "{{session}}" }`;
    expectSecondTry(await run({ target: `{ url: "${server.url}", body: ${body}, response: { text: text } }` }));
    expect(counts.size).toBe(2);
  });

  it("as a module, with a state of its own and the history as it was", async () => {
    const agent = `export default (input, { state, history }) => {
      state.count = (state.count ?? 0) + 1;
      return (input.includes("tell:") ? "good " : "bad ") + (state.count + history.length);
    };`;
    expectSecondTry(await run({ target: "{ module: ./agent.mjs }", files: { "agent.mjs": agent } }));
  });

  it("and its models hear nothing of what KindLM ran in a rejected try, though the words were the same", async () => {
    const agent = `${importFetch}const { createInterface } = await import("node:readline");
      const messages = [];
      const headers = { authorization: "Bearer " + process.env.OPENAI_API_KEY, "content-type": "application/json" };
      const url = process.env.OPENAI_BASE_URL + "/chat/completions";
      const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
      for await (const line of createInterface({ input: process.stdin })) {
        const m = JSON.parse(line);
        if (m.type !== "user") continue;
        messages.push({ role: "user", content: m.content });
        const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify({ model: "m", messages }) });
        const { content } = (await reply.json()).choices[0].message;
        messages.push({ role: "assistant", content });
        say({ type: "text", text: content });
        say({ type: "done" });
      }`;
    const rules = `[{ when: { user: what }, reply: { text: "{{last_tool_result.n}}" } }, { when: { last_tool_result: { $any: true } }, reply: { text: Done } }]`;
    const { status, output, toolCalls } = await run({
      target: "{ command: [node, agent.mjs], protocol: json_lines, proxy: { run_tools: true } }",
      files: { "agent.mjs": agent },
      top: `models: [{ id: m, provider: scripted, script: { rules: ${rules}, otherwise: { tool_calls: [{ tool: look, args: {} }] } } }]`,
      tools: `[{ name: look, responses: [{ times: 1, return: { n: one } }], default: { return: { n: two } } }]`,
      test: `conversation: [{ user: hi, retry_until: { assert: [{ type: tool_called, tool: look, result: { n: two } }] } }, { user: what }], assert: [{ type: turns, min: 0 }]`,
    });
    expect([status, output]).toEqual(["passed", "two"]);
    expect(toolCalls.map(({ result, rejectedTry }) => [result, rejectedTry])).toEqual([
      [{ n: "one" }, 1],
      [{ n: "two" }, undefined],
    ]);
  });

  it("and its models see the conversation from its first turn, each try with turns of its own", async () => {
    const agent = `${importFetch}const { readFileSync } = await import("node:fs");
      const messages = [{ role: "user", content: readFileSync(0, "utf8") }];
      const body = JSON.stringify({ model: "m", messages });
      const headers = { authorization: "Bearer " + process.env.OPENAI_API_KEY, "content-type": "application/json" };
      const url = process.env.OPENAI_BASE_URL + "/chat/completions";
      let text = "";
      for (let n = 0; n < 2; n += 1) {
        const reply = await fetch(url, { method: "POST", headers, body });
        text += (await reply.json()).choices[0].message.content + " ";
      }
      console.log(text);`;
    const rules = `[{ when: { turn: 1, user: { $contains: "tell:" } }, reply: { text: good } }, { when: { turn: 1 }, reply: { text: bad } }]`;
    const trial = await run({
      target: "{ command: [node, agent.mjs], proxy: true }",
      files: { "agent.mjs": agent },
      top: `models: [{ id: m, provider: scripted, script: { rules: ${rules}, otherwise: { text: later } } }]`,
      test: `input: hi, limits: { max_turns: 2 }, ${retry}`,
    });
    expect([trial.error, trial.output]).toEqual([null, "good later"]);
    expect(trial.turns.map(({ turn, rejectedTry }) => [turn, rejectedTry])).toEqual([
      [1, 1],
      [2, 1],
      [3, undefined],
      [4, undefined],
    ]);
  });
});

describe("rollBackTo", () => {
  it("takes messages back and leaves what was done, marked", () => {
    const message = (content: string): Message => ({ role: "user", content });
    const call = (tool: string): TrialToolCall => ({ tool, args: {} });
    const transcript = { messages: [message("a")], turns: [], toolCalls: [call("first")] };
    const mark = markOf(transcript);
    transcript.messages.push(message("b"), message("c"));
    transcript.toolCalls.push(call("second"));
    expect(rollBackTo(transcript, mark, 2)).toEqual([message("b"), message("c")]);
    expect(transcript).toEqual({
      messages: [message("a")],
      turns: [],
      toolCalls: [call("first"), { ...call("second"), rejectedTry: 2 }],
    });
  });
});
