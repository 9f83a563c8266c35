import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import type { Trial } from "../../transcript/trial.js";
import { evaluateWritten } from "../../__fixtures__/evaluate-written.js";
import { defineCheck } from "./define-check.js";

const checks = `
export default (trial) => trial.output.length < 10;
export const isPolite = (trial, options) => trial.output.includes(options.word);
export const score = async (trial, value) => value;
export const verdict = (trial, value) => value;
export const throws = () => { throw new Error("no such thing"); };
export const rejects = async () => { throw "plain text"; };
export const hangs = () => new Promise(() => {});
export const notAFunction = 3;
`;
let cwd = "";

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "kindlm-module-"));
  await writeFile(join(cwd, "checks.mjs"), checks);
  await writeFile(join(cwd, "broken.mjs"), "export const a = ;");
  await writeFile(
    join(cwd, "typed.ts"),
    "enum Word { Hi = 'hi' }\nexport const greets = (trial: { output: string }): boolean => trial.output === Word.Hi;",
  );
  await writeFile(join(cwd, "old.cjs"), "exports.isShort = (trial) => trial.output.length < 10;");
});
afterAll(() => rm(cwd, { recursive: true }));

const evaluate = (module: string, given?: unknown, options = {}) =>
  evaluateWritten({ type: "module", module, with: given }, { output: "hi" }, { cwd, ...options });

describe("module", () => {
  it.each<[string, unknown, Record<string, unknown>]>([
    ["./checks.mjs", undefined, { pass: true, score: 1, message: "The check passes the trial" }],
    ["./checks.mjs#", undefined, { pass: true, score: 1 }],
    ["checks.mjs#isPolite", { word: "please" }, { pass: false, score: 0, message: "isPolite fails the trial" }],
    ["checks.mjs#score", 0.5, { pass: true, score: 0.5, message: "score passes the trial with a score of 0.5" }],
    ["checks.mjs#score", 0.49, { pass: false, score: 0.49, message: "score fails the trial with a score of 0.49" }],
    ["checks.mjs#verdict", { pass: true, message: "Well done" }, { pass: true, score: 1, message: "Well done" }],
    ["checks.mjs#verdict", { pass: false, score: 0.9 }, { pass: false, score: 0.9 }],
    ["checks.mjs#verdict", { score: 0.9 }, { pass: true, score: 0.9 }],
    ["typed.ts#greets", undefined, { pass: true }],
    ["old.cjs#isShort", undefined, { pass: true }],
  ])("%s with %j", async (module, given, expected) => {
    expect(await evaluate(module, given)).toMatchObject({ success: true, data: { type: "module", ...expected } });
  });

  it.each<[string, unknown, string]>([
    ["checks.mjs#throws", 1, "threw: no such thing"],
    ["checks.mjs#rejects", 1, "threw: plain text"],
    ["checks.mjs#notAFunction", 1, 'The export "notAFunction"'],
    ["checks.mjs#isPolit", 1, 'has no export "isPolit". Did you mean "isPolite"?'],
    ["none.mjs#x", 1, "none.mjs cannot be loaded"],
    ["broken.mjs#a", 1, "broken.mjs cannot be loaded"],
    ["checks.mjs#score", 1.1, "a score must be a number from 0 to 1, but it is 1.1"],
    ["checks.mjs#score", Number.NaN, "a score must be a number from 0 to 1, but it is NaN"],
    ["checks.mjs#verdict", "yes", 'it must be a boolean, a score or an object, but it is "yes"'],
    ["checks.mjs#verdict", undefined, "it must be a boolean, a score or an object, but it is nothing"],
    ["checks.mjs#verdict", { pass: "yes" }, '"pass" must be true or false, but it is "yes"'],
    ["checks.mjs#verdict", { pass: true, message: 3 }, '"message" must be a string, but it is 3'],
    ["checks.mjs#verdict", {}, 'an object needs "pass" or "score", but it is {}'],
  ])("%s with %j is an error", async (module, given, words) => {
    expect(await evaluate(module, given)).toMatchObject({
      success: false,
      error: { code: "ASSERTION_EVAL_ERROR", message: expect.stringContaining(words), details: { type: "module" } },
    });
  });

  it("gives up on a check that never answers, at its timeout or on abort", async () => {
    expect(await evaluate("checks.mjs#hangs", 1, { timeoutMs: 20 })).toMatchObject({
      error: { message: expect.stringContaining("did not answer within 20 ms") },
    });
    const controller = new AbortController();
    const running = evaluate("checks.mjs#hangs", 1, { signal: controller.signal });
    controller.abort();
    expect(await running).toMatchObject({ error: { message: expect.stringContaining("was interrupted") } });
  });
});

describe("defineCheck", () => {
  it("gives a check its types and leaves it as it is", () => {
    const check = (trial: Trial, options: { word: string }): boolean => trial.output === options.word;
    const defined = defineCheck<{ word: string }>(check);
    expect(defined).toBe(check);
    expectTypeOf(defined).parameter(1).toEqualTypeOf<{ word: string }>();
  });
});
