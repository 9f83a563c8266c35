import { describe, expect, it } from "vitest";
import { atTry, call, good, retry, text, told, runRetrying as run } from "../../__fixtures__/retry-project.js";

describe("retry_until", () => {
  it("asks once where the first answer is approved, and says so", async () => {
    const {
      trial,
      result,
      events,
      run: ran,
    } = await run({
      otherwise: text("good"),
      test: `input: hi, ${retry()}, assert: [${good}]`,
    });
    expect(told(trial)).toEqual(["hi", "> good"]);
    expect(trial.tries).toEqual({ count: 1, firstTry: true, approved: true, rejected: [] });
    expect(trial.assertions.map(({ type, pass }) => [type, pass])).toEqual([
      ["retry_until", true],
      ["contains", true],
    ]);
    expect(result.firstTryPasses).toBe(1);
    expect([ran.summary.firstTryRate, ran.summary.passRate]).toEqual([1, 1]);
    expect(events.filter(({ type }) => type === "try:rejected")).toEqual([]);
  });

  it("rolls the conversation back, tells the agent why, and counts what all tries cost", async () => {
    const {
      trial,
      result,
      events,
      run: ran,
    } = await run({
      rules: [
        `{ when: { turn: 1 }, reply: ${call("look")} }`,
        atTry(3, text("good"), ", turn: 2"),
        atTry(2, text("worse"), ", turn: 2"),
      ],
      test: `input: hi, ${retry()}, assert: [${good}]`,
    });
    expect(trial.status).toBe("passed");
    const reason = (answer: string): string => `Expected the answer to contain "good", but it is "${answer}"`;
    expect(told(trial)).toEqual([`hi\n\nafter try 2: ${reason("worse")}`, "> ", "seen", "> good"]);
    expect(trial.tries).toMatchObject({
      count: 3,
      firstTry: false,
      approved: true,
      rejected: [
        { userTurn: 1, try: 1, output: "bad", reason: reason("bad") },
        { userTurn: 1, try: 2, output: "worse", reason: reason("worse") },
      ],
    });
    expect(trial.tries?.rejected[0]?.messages).toHaveLength(4);
    expect(trial.turns.map(({ turn, rejectedTry }) => [turn, rejectedTry])).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
      [4, 2],
      [5, undefined],
      [6, undefined],
    ]);
    expect(trial.toolCalls.map(({ rejectedTry, turn }) => [rejectedTry, turn])).toEqual([
      [1, 1],
      [2, 3],
      [undefined, 5],
    ]);
    expect([trial.attempts, result.firstTryPasses, ran.summary.firstTryRate]).toEqual([6, 0, 0]);
    expect(events.filter(({ type }) => type === "try:rejected")).toMatchObject([
      { userTurn: 1, try: 1, maxTries: 3, reason: reason("bad"), again: true },
      { userTurn: 1, try: 2, maxTries: 3, reason: reason("worse"), again: true },
    ]);
  });

  it.each([
    [
      `description: "be {{mood}}"`,
      "Your last answer to this was not accepted: Expected the answer to contain",
      "What is asked for: be nice\nPlease answer again.",
    ],
    ["", "Your last answer to this was not accepted: Expected the answer to contain", '"bad"\nPlease answer again.'],
    [`feedback: "{{mood}} {{try}} {{reason}}"`, "nice 1 Expected the answer", '"bad"'],
    [`feedback: "{{reason}}"`, "Expected the answer", '"bad"'],
  ])("words the feedback: %s", async (more, start, end) => {
    const { trial } = await run({
      rules: [`{ when: { user: { $contains: Expected } }, reply: ${text("good")} }`],
      test: `input: hi, vars: { mood: nice }, retry_until: { assert: [${good}], ${more} }, assert: [${good}]`,
    });
    const [asked] = told(trial);
    expect(asked).toMatch(new RegExp(`^hi\\n\\n${start}`));
    expect(String(asked).endsWith(end)).toBe(true);
  });

  it("adds the feedback to a message with an image, and to a conversation that ends with a tool's answer", async () => {
    const rules = [atTry(2, text("good"))];
    const image = await run({
      rules,
      test: `input: { messages: [{ role: user, content: [{ type: text, text: hi }, { type: image, url: "https://x.test/a.png" }] }] }, ${retry()}`,
    });
    expect(image.trial.messages[0]).toMatchObject({
      content: [
        { type: "text", text: "hi" },
        { type: "image" },
        { type: "text", text: expect.stringMatching(/^after try 1/) },
      ],
    });
    const history =
      "[{ role: user, content: hi }, { role: assistant, tool_calls: [{ tool: look }] }, { role: tool, content: seen }]";
    const open = await run({ rules, test: `messages: ${history}, ${retry()}` });
    expect(told(open.trial).slice(0, 3)).toEqual(["hi", "> ", "seen"]);
    expect(open.trial.messages[3]).toMatchObject({ role: "user", content: expect.stringMatching(/^after try 1/) });
  });

  it("fails the trial by a result of its own where no answer is approved, and asks for nothing more", async () => {
    const { trial } = await run({
      test: `conversation: [{ user: one, ${retry("max_tries: 2")}, assert: [{ type: contains, value: x }] }, { user: two }], assert: [${good}]`,
    });
    expect(trial.status).toBe("failed");
    expect(trial.turns).toHaveLength(2);
    expect(trial.assertions).toMatchObject([
      {
        type: "retry_until",
        pass: false,
        score: 0,
        userTurn: 1,
        message: 'The answer was not approved in 2 tries: Expected the answer to contain "good", but it is "bad"',
      },
    ]);
    expect(trial.tries).toMatchObject({ count: 2, approved: false, firstTry: false });
    expect(trial.tries?.rejected.map(({ messages }) => messages.length)).toEqual([2, 0]);
    expect(trial.output).toBe("bad");
  });

  it("goes on with the last answer under strict: false, and lets the other assertions decide", async () => {
    const { trial, run: ran } = await run({
      test: `conversation: [{ user: one, ${retry("max_tries: 2, strict: false")} }, { user: two }], assert: [{ type: contains, value: bad }]`,
    });
    expect(trial.status).toBe("passed");
    expect(trial.messages.filter(({ role }) => role === "user")).toHaveLength(2);
    expect(trial.assertions).toMatchObject([
      { type: "retry_until", skipped: true },
      { type: "contains", pass: true },
    ]);
    expect([trial.tries?.approved, ran.summary.firstTryRate]).toEqual([false, 0]);
  });

  it.each([
    ["holds", "stop_when: [{ type: contains, value: bad }]", 1],
    ["holds in part", "stop_when: [{ type: contains, value: bad }, { type: contains, value: sorry }]", 3],
    ["does not apply", "stop_when: [{ type: contains, value: bad, when: { turns: 7 } }]", 3],
  ])("makes no further try where stop_when %s", async (_name, stop, tries) => {
    const { trial } = await run({ test: `input: hi, ${retry(stop)}` });
    expect([trial.status, trial.turns.length]).toEqual(["failed", tries]);
    const why = tries === 1 ? "in 1 try, and stop_when made no further one" : "in 3 tries";
    expect(trial.assertions[0]?.message).toContain(`The answer was not approved ${why}: Expected`);
  });

  it("looks at the try alone, and rejects nothing by an assertion that does not apply", async () => {
    const once = "{ type: max_tool_calls, max: 1 }";
    const { trial } = await run({
      rules: [`{ when: { turn: 1 }, reply: ${call("look")} }`, atTry(2, text("good"))],
      test: `input: hi, ${retry("", `${good}, ${once}, { type: contains, value: x, when: { turns: 9 } }`)}`,
    });
    expect([trial.status, trial.tries?.count]).toEqual(["passed", 2]);
  });

  it("is errored, and tries nothing again, where an assertion cannot be evaluated", async () => {
    const { trial } = await run({
      files: { "checks.mjs": "export const breaks = () => { throw new Error('no') };" },
      test: `input: hi, ${retry("", `${good}, { type: module, module: "./checks.mjs#breaks" }`)}`,
    });
    expect(trial).toMatchObject({ status: "errored", error: { code: "ASSERTION_EVAL_ERROR" } });
    expect(trial.turns).toHaveLength(1);
  });

  it("keeps what was said in earlier user turns", async () => {
    const { trial } = await run({
      rules: [atTry(2, text("good two"), ", turn: 2"), `{ when: { user: two, turn: 2 }, reply: ${text("bad two")} }`],
      otherwise: text("good one"),
      files: { "checks.mjs": "export const isApart = ({ messages }) => messages.length === 2;" },
      test: `conversation: [{ user: one }, { user: two, ${retry("", `${good}, { type: module, module: "./checks.mjs#isApart" }`)}, assert: [{ type: contains, value: good two }] }]`,
    });
    expect(trial.status).toBe("passed");
    expect(told(trial)).toEqual(["one", "> good one", expect.stringMatching(/^two\n\nafter try 1/), "> good two"]);
    expect(trial.turns.map(({ userTurn }) => userTurn)).toEqual([1, 2, 2]);
    expect(trial.assertions.map(({ type, userTurn }) => [type, userTurn])).toEqual([
      ["retry_until", 2],
      ["contains", 2],
    ]);
  });

  it("counts max_turns for each try and max_tool_calls for all of them", async () => {
    const rules = [`{ when: { turn: 1 }, reply: ${call("look")} }`, atTry(2, text("good"))];
    const turns = await run({ rules, test: `input: hi, limits: { max_turns: 2 }, ${retry()}` });
    expect([turns.trial.status, turns.trial.turns.length]).toEqual(["passed", 4]);
    const calls = await run({ rules, test: `input: hi, limits: { max_tool_calls: 1 }, ${retry()}` });
    expect(calls.trial).toMatchObject({
      status: "errored",
      error: { code: "ENGINE_BUDGET_EXCEEDED", details: { limit: "max_tool_calls" } },
      tries: { count: 2, approved: false },
    });
  });

  it("hides personal data that an approving assertion found", async () => {
    const { trial, events } = await run({
      rules: [atTry(2, text("good"))],
      otherwise: text("write to ada@example.org"),
      test: `input: hi, ${retry("", `{ type: no_pii }, ${good}`)}, assert: [${good}]`,
    });
    expect([trial.status, trial.tries?.count]).toEqual(["passed", 2]);
    expect(JSON.stringify(trial)).not.toContain("ada@example.org");
    expect(JSON.stringify(events.filter(({ type }) => type === "try:rejected"))).not.toContain("ada@example.org");
  });
});
