import { describe, expect, it } from "vitest";
import { liner, lines, said } from "./__fixtures__/json-lines-agent.js";
import { any, runTarget } from "./__fixtures__/run-target.js";

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
      /Could not start no-such-program-anywhere/,
    ],
    ["an answer without an end", "{ command: ['yes'] }", "", "malformed_message", /^yes wrote more than 10 MiB$/],
    [
      "a line that is no JSON",
      lines,
      liner(said(`console.log("hello");`)),
      "malformed_message",
      /cannot be read: it is not a JSON object$/,
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
      /reported an error: no key$/,
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
      /is not an answer: .*must be an object/,
    ],
    ["no export", `{ module: "./agent.mjs#run" }`, `export const other = 1;`, "not_found", /has no export "run"/],
  ])("%s is a TARGET_ERROR", async (_name, target, agent, kind, message) => {
    const { trial } = await runTarget({ target, files: { "agent.mjs": agent } });
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
    const { trial } = await runTarget({
      target: lines,
      files: { "agent.mjs": agent },
      tests: `\n      - { name: t, conversation: [{ user: a }, { user: b }], assert: ${any} }`,
    });
    expect(trial.error).toMatchObject({ code: "TARGET_ERROR", details: { kind: "unexpected_message" } });
    expect(trial.error?.message).toBe('The agent wrote "text" without a request');
  });

  it("keeps the end of stderr", async () => {
    const agent = `process.stderr.write("a".repeat(20_000) + "é the end\\n"); process.exitCode = 1;`;
    const { trial } = await runTarget({ target: "{ command: [node, agent.mjs] }", files: { "agent.mjs": agent } });
    const stderr = trial.error?.code === "TARGET_ERROR" ? (trial.error.details?.stderr ?? "") : "";
    expect([stderr.length < 8_200, stderr.endsWith("aé the end\n")]).toEqual([true, true]);
  });

  it("says nothing at all", async () => {
    const { trial } = await runTarget({ target: `{ command: [node, -e, ""] }` });
    expect(trial.error).toMatchObject({ code: "ENGINE_EMPTY_RESPONSE" });
  });

  it("takes too long, which is the trial's deadline", async () => {
    const agent = `console.error("still thinking"); setInterval(() => {}, 1000);`;
    const { trial } = await runTarget({
      target: "{ command: [node, agent.mjs] }",
      files: { "agent.mjs": agent },
      top: "timeouts: { trial: 500ms }",
    });
    expect(trial.error).toMatchObject({
      code: "ENGINE_TIMEOUT",
      details: {
        scope: "trial",
        stderr: "still thinking\n",
        hint: expect.stringMatching(/^A plain program must exit/),
      },
    });
  });

  it("waits for the end of stdin instead of a line", async () => {
    const { trial } = await runTarget({
      target: "{ command: [node, agent.mjs], protocol: json_lines }",
      files: { "agent.mjs": `for await (const piece of process.stdin) void piece; console.log("It is delivered.");` },
      top: "timeouts: { trial: 500ms }",
    });
    expect(trial.error).toMatchObject({
      code: "ENGINE_TIMEOUT",
      details: { hint: expect.stringContaining('end each answer with {"type":"done"}') },
    });
  });
});
