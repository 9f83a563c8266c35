import { describe, expect, it, onTestFinished } from "vitest";
import { sendJson, startServer, refusedUrl } from "../__fixtures__/start-server.js";
import { any, runTarget } from "./__fixtures__/run-target.js";

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
    const { trial } = await runTarget({
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
    const { trial } = await runTarget({ target: `{ url: "${server.url}", response: { text: text } }` });
    expect(trial.error).toMatchObject({
      code: "TARGET_ERROR",
      message: expect.stringMatching(message),
      details: { kind, status },
    });
  });

  it("that is not there was never tested", async () => {
    const { trial } = await runTarget({ target: `{ url: "${await refusedUrl()}" }` });
    expect(trial.error).toMatchObject({ code: "TARGET_ERROR", details: { kind: "not_found" } });
  });

  it("answers with the whole reply where no path says otherwise", async () => {
    const server = await startServer((_request, response) => void response.end(" fine \n"));
    onTestFinished(() => server.close());
    const { trial } = await runTarget({ target: `{ url: "${server.url}" }` });
    expect(trial.output).toBe("fine");
  });
});
