import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atTry, call, retry, text, told, runRetrying as run } from "../../__fixtures__/retry-project.js";

describe("the tool calls of a rejected try", () => {
  const paysFirst = [`{ when: { user: hi, turn: 1 }, reply: ${call("pay")} }`, atTry(2, text("good"))];

  it.each([
    ["{ type: tool_not_called, tool: pay }", "failed"],
    ["{ type: tool_called, tool: pay, not: true }", "failed"],
    ["{ type: max_tool_calls, max: 0 }", "failed"],
    ["{ any_of: [{ type: tool_not_called, tool: pay }, { type: contains, value: nothing }] }", "failed"],
    ["{ type: tool_not_called, tool: pay, user_turn: 1 }", "failed"],
    ["{ type: tool_called, tool: pay }", "failed"],
    ["{ type: tool_not_called, tool: look }", "passed"],
    ["{ type: turns, min: 3, max: 3 }", "passed"],
  ])("are neither hidden from %s nor lent to it", async (assertion, status) => {
    const { trial } = await run({ rules: paysFirst, test: `input: hi, ${retry()}, assert: [${assertion}]` });
    expect(trial.status).toBe(status);
    expect(trial.toolCalls).toMatchObject([
      { tool: "pay", rejectedTry: 1, stateChanges: [{ path: "paid", to: true }] },
    ]);
  });

  it("are named as what they are", async () => {
    const { trial } = await run({
      rules: paysFirst,
      test: `input: hi, ${retry()}, assert: [{ type: tool_not_called, tool: pay }]`,
    });
    expect(trial.assertions[1]?.message).toBe(
      "Expected no call of pay, but pay() was called (counting the tool calls of rejected tries, which no rollback undoes)",
    );
  });

  it("leave the world as they made it", async () => {
    const { trial } = await run({
      rules: [`{ when: { turn: 1 }, reply: ${call("pay")} }`, atTry(2, text("good"))],
      test: `input: hi, ${retry()}`,
    });
    expect(trial.toolCalls.map(({ stateChanges }) => stateChanges)).toEqual([
      [{ path: "paid", from: false, to: true }],
      undefined,
    ]);
  });

  it("are no repeats of one another, since the agent cannot know of them", async () => {
    const rules = [`{ when: { turn: 1 }, reply: ${call("look")} }`, atTry(2, text("good"))];
    const across = await run({ rules, test: `input: hi, ${retry()}, assert: [{ type: no_redundant_calls }]` });
    expect(across.trial.status).toBe("passed");
    const twice = `{ when: { user: hi, turn: { $lt: 3 } }, reply: ${call("look")} }`;
    const within = await run({
      rules: [twice, atTry(2, text("good"))],
      test: `input: hi, ${retry()}, assert: [{ type: no_redundant_calls }]`,
    });
    expect(within.trial.status).toBe("failed");
  });
});

describe("first try and eventual success", () => {
  const chance = `[{ choose: [{ weight: 1, reply: ${text("good")} }, { weight: 1, reply: ${text("bad")} }], when: { user: hi } }]`;

  it("are counted apart, trial by trial", async () => {
    const { trials, result } = await run({
      rules: [chance.slice(1, -1), atTry(2, text("good"))],
      test: `input: hi, runs: 12, ${retry()}`,
    });
    const first = trials.filter(({ tries }) => tries?.firstTry === true).length;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(12);
    expect([result.passes, result.firstTryPasses]).toEqual([12, first]);
  });

  it("trip the gate alone", async () => {
    const written = { rules: [atTry(2, text("good"))], test: `input: hi, ${retry()}` };
    const { run: ran } = await run({ ...written, more: "gates: { first_try: 0.5 }" });
    expect(ran.summary).toMatchObject({ passed: 1, passRate: 1, firstTryRate: 0 });
    expect(ran.gates).toMatchObject([{ name: "first_try", pass: false, limit: 0.5, actual: 0 }]);
    expect([ran.exitCode, ran.reasons]).toEqual([1, ["gate first_try: 0%, expected at least 50%"]]);
    const open = await run({ ...written, more: "gates: { first_try: 0 }" });
    expect(open.run.exitCode).toBe(0);
  });

  it("say nothing where nothing is tried again", async () => {
    const { trial, result, run: ran } = await run({ test: "input: hi, assert: [{ type: contains, value: bad }]" });
    for (const value of [trial, result, ran.summary])
      expect(Object.keys(value).join()).not.toMatch(/\b(tries|firstTry)/);
  });
});

describe("the law of the rollback", () => {
  it("ends in the conversation of an agent that was approved at once, whatever was rejected before", async () => {
    const kinds = fc.array(fc.constantFrom("none", "look", "pay"), { minLength: 0, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(kinds, fc.constantFrom("none", "look"), async (rejected, last) => {
        const rules = [...rejected, last].flatMap((tool, index) => {
          const when = index === 0 ? "user: hi" : `user: { $contains: "after try ${index}" }`;
          const reply = index === rejected.length ? text("good") : text(`bad ${index}`);
          const asks = tool === "none" ? [] : [`{ when: { ${when}, turn: 1 }, reply: ${call(tool)} }`];
          return [...asks, `{ when: { ${when} }, reply: ${reply} }`];
        });
        const { trial } = await run({ rules, test: `input: hi, ${retry("max_tries: 4")}` });
        expect(trial.status).toBe("passed");
        expect(told(trial).slice(1)).toEqual(last === "none" ? ["> good"] : ["> ", "seen", "> good"]);
        expect(trial.tries?.count).toBe(rejected.length + 1);
        const made = [...rejected, last].flatMap((tool, index) =>
          tool === "none" ? [] : [[tool, index === rejected.length ? undefined : index + 1]],
        );
        expect(trial.toolCalls.map(({ tool, rejectedTry }) => [tool, rejectedTry])).toEqual(made);
        expect(trial.attempts).toBe(rejected.length + 1 + made.length);
      }),
      { numRuns: 12 },
    );
  });
});
