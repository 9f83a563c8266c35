import { describe, expect, it } from "vitest";
import { any, runTarget } from "./__fixtures__/run-target.js";

/** A shell starts in a twentieth of the time of Node. */
const plain = "{ command: [sh, agent.sh] }";
const lines = "{ command: [sh, agent.sh], protocol: json_lines }";

/** A program that talks in JSON lines, and does this when the user says something. */
const said = (commands: string): string =>
  `while read -r line; do case "$line" in *'"type":"user"'*) ${commands};; esac; done`;

const say = (message: object): string => `echo '${JSON.stringify(message)}'`;

describe("what a program does wrong", () => {
  it.each([
    [
      "a crash",
      "{ command: [node, agent.mjs] }",
      `console.error("x"); throw new TypeError("oops");`,
      "unexpected",
      /^node ended with exit code 1 before it answered: TypeError: oops$/,
    ],
    ["a signal", plain, "echo half; kill -9 $$", "unexpected", /^sh was ended by SIGKILL before it answered$/],
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
      said("echo hello"),
      "malformed_message",
      /cannot be read: it is not a JSON object$/,
    ],
    ["a line without its parts", lines, said(say({ type: "text" })), "malformed_message", /text: "text" is missing/],
    ["an unknown type", lines, said(say({ type: "thought" })), "unexpected_message", /unknown type "thought"/],
    [
      "an error of its own",
      lines,
      said(say({ type: "error", message: "no key" })),
      "unexpected",
      /reported an error: no key$/,
    ],
    [
      "an end in the middle",
      lines,
      said(`${say({ type: "text", text: "x" })}; exit 4`),
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
    const { trial } = await runTarget({ target, files: { "agent.mjs": agent, "agent.sh": agent } });
    expect(trial.error).toMatchObject({
      code: "TARGET_ERROR",
      message: expect.stringMatching(message),
      details: { kind },
    });
  });

  it("talks when nothing is asked of it", async () => {
    // Both lines in one piece, so that the second is there before anything else is asked.
    const pieces = [{ type: "text", text: "a" }, { type: "done" }, { type: "text", text: "b" }];
    const agent = said(`printf '%s\\n' ${pieces.map((piece) => `'${JSON.stringify(piece)}'`).join(" ")}`);
    const { trial } = await runTarget({
      target: lines,
      files: { "agent.sh": agent },
      tests: `\n      - { name: t, conversation: [{ user: a }, { user: b }], assert: ${any} }`,
    });
    expect(trial.error).toMatchObject({ code: "TARGET_ERROR", details: { kind: "unexpected_message" } });
    expect(trial.error?.message).toBe('The agent wrote "text" without a request');
  });

  it("keeps the end of stderr", async () => {
    const agent = `echo "${"a".repeat(20_000)}é the end" >&2; exit 1`;
    const { trial } = await runTarget({ target: plain, files: { "agent.sh": agent } });
    const stderr = trial.error?.code === "TARGET_ERROR" ? (trial.error.details?.stderr ?? "") : "";
    expect([stderr.length < 8_200, stderr.endsWith("aé the end\n")]).toEqual([true, true]);
  });

  it("says nothing at all", async () => {
    const { trial } = await runTarget({ target: "{ command: ['true'] }" });
    expect(trial.error).toMatchObject({ code: "ENGINE_EMPTY_RESPONSE" });
  });

  // Both wait for their deadline, together.
  it.concurrent("takes too long, which is the trial's deadline", async () => {
    const { trial } = await runTarget({
      target: plain,
      files: { "agent.sh": "echo still thinking >&2; exec sleep 1000" },
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

  it.concurrent("waits for the end of stdin instead of a line", async () => {
    const { trial } = await runTarget({
      target: lines,
      files: { "agent.sh": "cat > received; echo It is delivered." },
      top: "timeouts: { trial: 500ms }",
    });
    expect(trial.error).toMatchObject({
      code: "ENGINE_TIMEOUT",
      details: { hint: expect.stringContaining('end each answer with {"type":"done"}') },
    });
  });
});
