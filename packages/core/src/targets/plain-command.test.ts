import { describe, expect, it } from "vitest";
import { any, runTarget } from "./__fixtures__/run-target.js";
import { importFetch } from "../__fixtures__/light-fetch.js";

describe("a plain command", () => {
  /** A shell starts in a twentieth of the time of Node. */
  const echo = `printf '<%s>' "$#" "$@" "$(cat)" "\${KINDLM_SYSTEM_PROMPT-none}" "\${GREETING-none}"`;

  it("gets the prompt on stdin and answers on stdout", async () => {
    const { trial } = await runTarget({
      target: `{ command: [sh, agent.sh, "{{who}}"], env: { GREETING: "\${HELLO} {{who}}" } }`,
      files: { "agent.sh": echo },
      top: "vars: { who: Ada }",
      env: { HELLO: "hi" },
    });
    expect(trial.output).toBe("<1><Ada><Where is it?><none><hi Ada>");
    expect(trial).toMatchObject({ caseId: "s/t@command", status: "passed", finishReason: "stop", attempts: 0 });
    expect(trial.messages).toEqual([
      { role: "user", content: "Where is it?" },
      { role: "assistant", text: trial.output, toolCalls: [] },
    ]);
    expect(trial.turns).toMatchObject([{ turn: 1, userTurn: 1, usage: null, costUsd: null }]);
  });

  it("gets the prompt as an argument, whatever is in it, and nothing on stdin then", async () => {
    const { trial } = await runTarget({
      target: `{ command: [sh, agent.sh, "q={{input}}"], id: shop }`,
      files: { "agent.sh": echo },
      tests: `\n      - { name: t, input: '$(touch x); "a" {{row.q}}', rows: [{ id: r, q: "\`b\` {{c}}" }], assert: ${any} }`,
    });
    expect(trial.output).toBe('<1><q=$(touch x); "a" `b` {{c}}><><none><none>');
    expect(trial.caseId).toBe("s/t[r]@shop");
  });

  it("runs in a shell only when asked, and then reads the prompt from its environment", async () => {
    const { trial } = await runTarget({ target: `{ command: 'printf "%s|" "$KINDLM_INPUT"; cat', shell: true }` });
    expect(trial.output).toBe("Where is it?|Where is it?");
  });

  it("is started again for each message of a conversation, in one session", async () => {
    const { trial } = await runTarget({
      target: `{ command: [sh, -c, 'echo "$KINDLM_TURN $KINDLM_SESSION"'] }`,
      tests: `\n      - { name: t, conversation: [{ user: a }, { user: b }], assert: ${any} }`,
    });
    const answers = trial.messages.flatMap((message) => (message.role === "assistant" ? [message.text] : []));
    const [first = "", second = ""] = answers;
    expect([first.split(" ")[0], second.split(" ")[0]]).toEqual(["1", "2"]);
    expect(first.split(" ")[1]).toBe(second.split(" ")[1]);
    expect(trial.turns.map(({ userTurn }) => userTurn)).toEqual([1, 2]);
  });

  it("takes an exit code as data where there is an answer", async () => {
    const { trial } = await runTarget({ target: `{ command: [sh, -c, "echo no; exit 3"] }` });
    expect(trial).toMatchObject({ status: "passed", output: "no", finishReason: "exit_code_3" });
  });

  it("calls the tools of the test over HTTP", async () => {
    const agent = `${importFetch}
      const url = process.env.KINDLM_TOOLS_URL, headers = { authorization: "Bearer " + process.env.KINDLM_TOKEN };
      const call = async (id, auth = headers) => { const r = await fetch(url + "/lookup", { method: "POST", headers: auth, body: JSON.stringify({ id }) }); return [r.status, await r.text()]; };
      const list = await (await fetch(url, { headers })).json();
      console.log(JSON.stringify([list.tools.map((tool) => tool.name), await call("A"), await call("gone"), await call(7), (await call("A", {}))[0]]));`;
    const { trial, events } = await runTarget({
      target: "{ command: [node, agent.mjs] }",
      files: { "agent.mjs": agent },
    });
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
