import { chmod, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Trial } from "../../transcript/trial.js";
import { evaluateWritten } from "../../__fixtures__/evaluate-written.js";

let cwd = "";

beforeAll(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "kindlm-command-")));
  await writeFile(join(cwd, "check.sh"), "#!/bin/sh\nexit 0\n");
  await chmod(join(cwd, "check.sh"), 0o755);
});
afterAll(() => rm(cwd, { recursive: true }));

const trial: Trial = {
  output: "hi",
  messages: [{ role: "assistant", text: "hi", toolCalls: [], providerData: { secret: "opaque" } }],
};

const evaluate = (script: string, options = {}) =>
  evaluateWritten({ type: "command", command: [process.execPath, "-e", script] }, trial, { cwd, ...options });

describe("command", () => {
  it.each([
    ["", true, 1, / ended with exit code 0$/],
    ["console.log('first'); console.log('too short'); process.exit(1)", false, 0, /exit code 1: "too short"$/],
    ["console.error('why'); process.exit(1)", false, 0, /exit code 1: "why"$/],
    [`console.log('{"pass": false, "message": "Rude"}')`, false, 0, /^Rude$/],
    [`console.log('{"score": 0.7}')`, true, 0.7, /passes the trial with a score of 0.7$/],
    [`console.log('{"score": 0.3}'); process.exit(1)`, false, 0.3, /fails the trial with a score of 0.3$/],
    // What it printed may be the answer that it rejects.
    [`console.log('{"pass": true}'); process.exit(1)`, false, 0, /exit code 1, a fail, though it printed a pass/],
    [`console.log('{"score": 1, "pass": true}'); process.exit(1)`, false, 0, /let it exit with 0 for a pass$/],
    [`console.log('{"pass": true, "score": 0.2}')`, true, 0.2, /passes/],
    [`console.log('{"status": "done"}')`, true, 1, /exit code 0/],
    [`console.log('{not json}'); process.exit(1)`, false, 0, /exit code 1: "\{not json\}"$/],
    [`console.log('[{"pass": false}]')`, true, 1, /exit code 0/],
    [`console.log('{"pass": maybe}'); process.exit(1)`, false, 0, /exit code 1/],
    [`console.log('pass: all 3 checks {}')`, true, 1, /exit code 0/],
  ])("%s", async (script, pass, score, message) => {
    expect(await evaluate(script)).toMatchObject({
      success: true,
      data: { pass, score, message: expect.stringMatching(message) },
    });
  });

  it.each([
    ["console.error('no module'); process.exit(2)", 'ended with exit code 2: "no module"'],
    ["process.kill(process.pid, 'SIGKILL')", "was ended by SIGKILL"],
    [`console.log('{"pass": true}'); process.exit(3)`, "ended with exit code 3"],
    // The agent's words break the JSON, and the exit code would say that all is well.
    [`console.log('{"pass": false, "message": "it said "no""}')`, "must be one JSON object and nothing else"],
    [`console.log('checking'); console.log('{\\n "pass": false\\n}')`, "nothing else, but it is"],
    [`console.log('{"pass": false}'); console.log('done')`, "nothing else, but it is"],
    [`console.log("{'score': 0.1}")`, "nothing else, but it is"],
    [`console.log('{"score": 7}')`, "is not a verdict: a score must be a number from 0 to 1, but it is 7"],
  ])("%s is an error", async (script, words) => {
    expect(await evaluate(script)).toMatchObject({
      success: false,
      error: { code: "ASSERTION_EVAL_ERROR", message: expect.stringContaining(words), details: { type: "command" } },
    });
  });

  const says = (text: string, code = 0): string => `console.log(${JSON.stringify(text)}); process.exit(${code})`;

  it.each([
    [says("1 failed", 101), { exit_code: 101 }, true, "ended with exit code 101"],
    [says('{"pass": false}'), { exit_code: 0 }, true, "ended with exit code 0"],
    [says("1 failed", 2), { exit_code: 0 }, false, 'to end with exit code 0, but it was 2: "1 failed"'],
    [says("ok 1 - a\nnot ok 2 - b\n# duration_ms 3.1", 1), { exit_code: 0 }, false, 'it was 1: "not ok 2 - b"'],
    [says("1 of 2\nDone", 1), { exit_code: 0 }, false, 'it was 1: "Done"'],
    [says("3 passed"), { stdout: "3 passed" }, true, "ended with exit code 0"],
    [says("3 passed", 1), { stdout: "3 passed" }, false, "to end with exit code 0, but it was 1"],
    [says("2 passed"), { exit_code: 0, stdout: { $contains: "3" } }, false, 'but it is "2 passed"'],
  ])("without a verdict: %s with %j", async (script, expected, pass, message) => {
    const written = { type: "command", command: [process.execPath, "-e", script], ...expected };
    const result = await evaluateWritten(written, trial, { cwd });
    expect(result).toMatchObject({ data: { pass, message: expect.stringContaining(message) as string } });
  });

  it("gives the trial on stdin, without what is opaque, in the folder of the config and with its environment", async () => {
    const script = `
      let text = ""; process.stdin.on("data", (part) => { text += part; });
      process.stdin.on("end", () => console.log(JSON.stringify({ pass: true, message: [text, process.cwd(), process.env.NAME].join("|") })));`;
    const result = await evaluate(script, { env: { NAME: "Ada" } });
    const given = JSON.stringify({ output: "hi", messages: [{ role: "assistant", text: "hi", toolCalls: [] }] });
    expect(result).toMatchObject({ success: true, data: { message: `${given}|${cwd}|Ada` } });
  });

  it("finds a program that is named relative to the config", async () => {
    const result = await evaluateWritten({ type: "command", command: ["./check.sh"] }, trial, { cwd });
    expect(result).toMatchObject({ success: true, data: { pass: true } });
  });

  it("is an error when the program does not exist or takes too long", async () => {
    const none = await evaluateWritten({ type: "command", command: ["no-such-program-anywhere"] }, trial, {
      cwd,
    });
    expect(none).toMatchObject({ error: { code: "ASSERTION_EVAL_ERROR", cause: { code: "ENOENT" } } });
    expect(await evaluate("setInterval(() => {}, 1000)", { timeoutMs: 50 })).toMatchObject({
      error: { message: expect.stringContaining("did not finish within 50 ms") },
    });
  });

  it("is an error when it is interrupted", async () => {
    expect(await evaluate("setInterval(() => {}, 1000)", { signal: AbortSignal.abort() })).toMatchObject({
      error: { message: expect.stringContaining("was interrupted") },
    });
  });

  it.each([[[]], ["check.sh"], [[""]], [[3]]])("refuses the command %j", async (command) => {
    expect(await evaluateWritten({ type: "command", command }, trial)).toMatchObject({
      error: { code: "CONFIG_VALIDATION_ERROR" },
    });
  });
});
