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

/** A line of sh, which starts in a tenth of the time of Node. */
const evaluate = (script: string, options = {}) =>
  evaluateWritten({ type: "command", command: ["sh", "-c", script] }, trial, { cwd, ...options });
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const print = (text: string): string => `printf '%s\\n' ${quoted(text)}`;
const says = (text: string, code = 0): string => `${print(text)}; exit ${code}`;
const complains = (text: string, code: number): string => `${print(text)} >&2; exit ${code}`;

describe("command", () => {
  it.each([
    ["", true, 1, / ended with exit code 0$/],
    [says("first\ntoo short", 1), false, 0, /exit code 1: "too short"$/],
    [complains("why", 1), false, 0, /exit code 1: "why"$/],
    [says('{"pass": false, "message": "Rude"}'), false, 0, /^Rude$/],
    [says('{"score": 0.7}'), true, 0.7, /passes the trial with a score of 0.7$/],
    [says('{"score": 0.3}', 1), false, 0.3, /fails the trial with a score of 0.3$/],
    // What it printed may be the answer that it rejects.
    [says('{"pass": true}', 1), false, 0, /exit code 1, a fail, though it printed a pass/],
    [says('{"score": 1, "pass": true}', 1), false, 0, /let it exit with 0 for a pass$/],
    [says('{"pass": true, "score": 0.2}'), true, 0.2, /passes/],
    [says('{"status": "done"}'), true, 1, /exit code 0/],
    [says("{not json}", 1), false, 0, /exit code 1: "\{not json\}"$/],
    [says('[{"pass": false}]'), true, 1, /exit code 0/],
    [says('{"pass": maybe}', 1), false, 0, /exit code 1/],
    [says("pass: all 3 checks {}"), true, 1, /exit code 0/],
  ])("%s", async (script, pass, score, message) => {
    expect(await evaluate(script)).toMatchObject({
      success: true,
      data: { pass, score, message: expect.stringMatching(message) },
    });
  });

  it.each([
    [complains("no module", 2), 'ended with exit code 2: "no module"'],
    ["kill -KILL $$", "was ended by SIGKILL"],
    [says('{"pass": true}', 3), "ended with exit code 3"],
    // The agent's words break the JSON, and the exit code would say that all is well.
    [says('{"pass": false, "message": "it said "no""}'), "must be one JSON object and nothing else"],
    [says('checking\n{\n "pass": false\n}'), "nothing else, but it is"],
    [says('{"pass": false}\ndone'), "nothing else, but it is"],
    [says("{'score': 0.1}"), "nothing else, but it is"],
    [says('{"score": 7}'), "is not a verdict: a score must be a number from 0 to 1, but it is 7"],
  ])("%s is an error", async (script, words) => {
    expect(await evaluate(script)).toMatchObject({
      success: false,
      error: { code: "ASSERTION_EVAL_ERROR", message: expect.stringContaining(words), details: { type: "command" } },
    });
  });

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
    const written = { type: "command", command: ["sh", "-c", script], ...expected };
    const result = await evaluateWritten(written, trial, { cwd });
    expect(result).toMatchObject({ data: { pass, message: expect.stringContaining(message) as string } });
  });

  it("gives the trial on stdin, without what is opaque, in the folder of the config and with its environment", async () => {
    const script = `
      let text = ""; process.stdin.on("data", (part) => { text += part; });
      process.stdin.on("end", () => console.log(JSON.stringify({ pass: true, message: [text, process.cwd(), process.env.NAME].join("|") })));`;
    const written = { type: "command", command: [process.execPath, "-e", script] };
    const result = await evaluateWritten(written, trial, { cwd, env: { NAME: "Ada" } });
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
    expect(await evaluate("exec sleep 1000", { timeoutMs: 50 })).toMatchObject({
      error: { message: expect.stringContaining("did not finish within 50 ms") },
    });
  });

  it("is an error when it is interrupted", async () => {
    expect(await evaluate("exec sleep 1000", { signal: AbortSignal.abort() })).toMatchObject({
      error: { message: expect.stringContaining("was interrupted") },
    });
  });

  it.each([[[]], ["check.sh"], [[""]], [[3]]])("refuses the command %j", async (command) => {
    expect(await evaluateWritten({ type: "command", command }, trial)).toMatchObject({
      error: { code: "CONFIG_VALIDATION_ERROR" },
    });
  });
});
