import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../../__fixtures__/make-project.js";
import { shortenDeadlines } from "../../__fixtures__/shorten-deadlines.js";
import type { TestResult, TrialResult } from "../run-result.js";
import type { RunTestsOptions } from "../../plan/run-options.js";
import { runTests } from "../../commands/run-tests.js";
import type { RunEvent } from "../run-event.js";

/** Cancels only what the user has confirmed, and never before it was asked. */
const shopAgent = [
  "{ when: { last_tool_result: { $contains: cancelled } }, reply: { text: 'ORD-1 is cancelled.' } }",
  "{ when: { user: { $regex: sure } }, reply: { tool_calls: [{ tool: cancel_order, args: { order_id: ORD-1 } }] } }",
  "{ when: { user: { $contains: cancel } }, reply: { text: 'Are you certain?' } }",
].join(", ");

/** Wants an order cancelled and confirms it. */
const customer = [
  "{ when: { user: { $contains: 'is cancelled' } }, reply: { text: '###GOAL_REACHED###' } }",
  "{ when: { user: { $contains: certain } }, reply: { text: 'Yes, sure.' } }",
  "{ when: { user: { $contains: 'conversation begins' } }, reply: { text: 'Please cancel my order' } }",
].join(", ");

interface Written {
  /** Rules, and what is said where none matches. */
  agent?: string;
  agentOtherwise?: string;
  user?: string;
  userOtherwise?: string;
  simulated?: string;
  test?: string;
  assert?: string;
  more?: string;
  /** Further settings of the models. */
  agentModel?: string;
  userModel?: string;
}

function projectOf(written: Written): string {
  const { more = "", userModel = "", test = "", simulated = "", assert = "" } = written;
  return makeProject({
    "kindlm.yaml": `version: 1
models:
  - { id: m, provider: scripted, ${written.agentModel ?? ""} script: { rules: [${written.agent ?? shopAgent}], otherwise: ${written.agentOtherwise ?? "{ text: I do not understand. }"} } }
  - { id: u, provider: scripted, ${userModel} script: { rules: [${written.user ?? customer}], otherwise: ${written.userOtherwise ?? "{ text: Hm? }"} } }
${more}
suites:
  - name: s
    tools: [{ name: cancel_order, default: { return: cancelled } }]
    tests:
      - name: t
        simulated_user: { goal: "Cancel {{order}}", model: u, ${simulated} }
        vars: { order: ORD-1 }
        ${test}
        assert: [${assert || "{ type: conversation_ended, by: goal }"}]
`,
  });
}

async function runWritten(written: Written, options: Partial<RunTestsOptions> = {}) {
  const events: RunEvent[] = [];
  const ran = await runTests(
    { paths: [], ...options },
    { env: {}, cwd: projectOf(written), onEvent: (event) => events.push(event) },
  );
  if (!ran.success) throw new Error(JSON.stringify(ran.error));
  const tests = ran.data.suites.flatMap((suite) => suite.tests);
  const trials: TrialResult[] = [];
  for await (const trial of ran.data.trials()) trials.push(trial);
  const [trial] = trials;
  if (trial === undefined) throw new Error("no trial");
  return { tests, trial, trials, verdicts: tests.map(verdictOf), summary: ran.data.summary, events };
}

function verdictOf(test: TestResult): string {
  const why = test.status === "errored" ? ` ${test.error.code}: ${test.error.message}` : "";
  return `${test.id} ${test.status}${why}`;
}

const spoken = ({ simulatedUser }: TrialResult): readonly string[] =>
  simulatedUser?.conversation.map(({ by, text }) => `${by}: ${text}`) ?? [];

describe("a simulated user", () => {
  it("begins, answers and ends the conversation, and its last word is not sent", async () => {
    const { verdicts, trial, summary } = await runWritten({
      assert: [
        "{ type: conversation_ended, by: goal }",
        "{ type: asks_before, tool: cancel_order }",
        "{ type: tool_called, tool: cancel_order, user_turn: 2 }",
        "{ type: turns, max: 3 }",
      ].join(", "),
    });
    expect(verdicts).toEqual(["s/t@m passed"]);
    expect(spoken(trial)).toEqual([
      "simulated_user: Please cancel my order",
      "agent: Are you certain?",
      "simulated_user: Yes, sure.",
      "agent: ORD-1 is cancelled.",
    ]);
    expect(trial.messages.flatMap((message) => (message.role === "user" ? [message.content] : []))).toEqual([
      "Please cancel my order",
      "Yes, sure.",
    ]);
    expect(trial.simulatedUser).toMatchObject({ model: "u", stoppedBy: "goal", turns: 2, requests: 3 });
    expect([trial.attempts, trial.turns.length]).toEqual([3, 3]);
    expect(summary).toMatchObject({ requests: 3, simulatedUser: { turns: 2, requests: 3, unpricedRequests: 0 } });
    expect(summary.providers).toMatchObject([{ provider: "scripted", requests: 6 }]);
    expect(summary.usage).toEqual(trial.usage);
  });

  it("goes on after the first message where that is written, with its history", async () => {
    const { verdicts, trial } = await runWritten({
      test: `input: { messages: [{ role: user, content: Hi }, { role: assistant, content: Hello }, { role: user, content: "cancel it" }] }`,
    });
    expect(verdicts).toEqual(["s/t@m passed"]);
    expect(spoken(trial)).toEqual([
      "user: Hi",
      "agent: Hello",
      "user: cancel it",
      "agent: Are you certain?",
      "simulated_user: Yes, sure.",
      "agent: ORD-1 is cancelled.",
    ]);
    expect(trial.simulatedUser).toMatchObject({ turns: 1, requests: 2 });
  });

  it("is to blame for a stop that takes too long to tell", async () => {
    shortenDeadlines();
    const { verdicts, trial } = await runWritten({
      simulated: `stop: { output: { $regex: "^(([a-z ])+.)+[A-Z]([a-z ])+$" } }`,
      agent: "",
      agentOtherwise: `{ text: "${"a ".repeat(40)}!" }`,
    });
    expect(verdicts[0]).toContain(
      'SIMULATED_USER_ERROR: The simulated user (u) could not go on: "stop" cannot be evaluated',
    );
    expect(trial.error?.details).toMatchObject({ causedBy: { code: "ASSERTION_EVAL_ERROR" } });
  });

  it("gives up, which is no error", async () => {
    const { verdicts, trial } = await runWritten({
      user: "{ when: { turn: 1 }, reply: { text: 'Buy it back' } }",
      userOtherwise: '{ text: "Pity.\\n###give up" }',
      assert: "{ type: conversation_ended, by: [gave_up, stop] }",
    });
    expect(verdicts).toEqual(["s/t@m passed"]);
    expect(trial.simulatedUser).toMatchObject({ stoppedBy: "gave_up", turns: 1 });
    expect(JSON.stringify(trial.messages)).not.toContain("Pity");
  });

  it("has so many messages, and is asked after the last answer whether it has got what it wants", async () => {
    const endless = { user: "", userOtherwise: "{ text: Tell me more }" };
    const stuck = await runWritten({ ...endless, simulated: "max_turns: 3" });
    expect(stuck.verdicts).toEqual(["s/t@m failed"]);
    expect(stuck.trial.assertions[0]?.message).toBe(
      "Expected the conversation to end by goal, but: The messages of the simulated user were used up (max_turns)",
    );
    expect(stuck.trial.simulatedUser).toMatchObject({ stoppedBy: "max_turns", turns: 3, requests: 4 });
    const inTime = await runWritten({ simulated: "max_turns: 2" });
    expect(inTime.trial.simulatedUser).toMatchObject({ stoppedBy: "goal", turns: 2, requests: 3 });
    const written = await runWritten({ simulated: "max_turns: 1", test: "input: cancel it" });
    expect(written.trial.simulatedUser).toMatchObject({ stoppedBy: "max_turns", turns: 0, requests: 1 });
  });

  it.each([
    ["a text", "stop: certain", 1],
    ["a matcher", "stop: { tool_calls: { $includes: { tool: cancel_order } } }", 2],
  ])("ends where an answer meets stop: %s", async (_name, simulated, turns) => {
    const { trial, verdicts } = await runWritten({ simulated, assert: "{ type: conversation_ended, by: stop }" });
    expect(verdicts).toEqual(["s/t@m passed"]);
    expect(trial.simulatedUser).toMatchObject({ stoppedBy: "stop", turns, requests: turns });
  });

  it("knows persona, goal and facts of the row, and sees the agent's words as data", async () => {
    const said = (turn: number, told: string, system = "{ $any: true }") =>
      `{ when: { turn: ${turn}, user: ${told}, system: ${system} }, reply: { text: 'seen ${turn}' } }`;
    const { trial } = await runWritten({
      user: [
        said(
          1,
          "{ $contains: begins }",
          "{ $all_of: [{ $contains: Ada }, { $contains: 'Cancel ORD-1' }, { $contains: '- order: A-7' }] }",
        ),
        said(2, "{ $regex: '<(agent_said_\\w+)>\\nI do not understand\\.\\n</\\1>' }"),
      ].join(", "),
      userOtherwise: "{ text: '###GOAL_REACHED###' }",
      simulated: `persona: "{{name}}", knows: { order: "{{row.id}}" }`,
      test: `rows: [{ id: A-7, name: Ada }]`,
    });
    expect(spoken(trial).filter((line) => line.startsWith("simulated"))).toEqual([
      "simulated_user: seen 1",
      "simulated_user: seen 2",
    ]);
  });

  it.each([
    ["is empty", "{ text: ' ' }", "it is empty"],
    ["calls a tool", "{ tool_calls: [{ tool: x }] }", "it calls a tool, and users have none"],
    ["writes the agent's part", '{ text: "Hi\\nAssistant: hello" }', "it writes the assistant's part"],
    ["speaks as a model", "{ text: 'As an AI language model, I cannot' }", "it speaks as the assistant"],
    ["refuses", "{ text: 'No', finish_reason: refusal }", "it refuses to play the user"],
    ["is cut off", "{ text: 'Please canc', finish_reason: length }", "it was cut off"],
    ["ends at once", "{ text: '###GOAL_REACHED###' }", "it ends the conversation before the assistant"],
  ])("is asked again where its message %s, and no more than three times", async (_name, reply, reason) => {
    const again = await runWritten({
      user: `{ when: { turn: 1 }, reply: ${reply} }, { when: { user: { $contains: "was not sent" } }, reply: { text: "Please cancel my order" } }, ${customer}`,
    });
    expect(again.verdicts).toEqual(["s/t@m passed"]);
    expect(again.trial.simulatedUser).toMatchObject({ turns: 2, requests: 4 });
    const never = await runWritten({ user: "", userOtherwise: reply });
    expect(never.verdicts[0]).toContain(
      `s/t@m errored SIMULATED_USER_ERROR: The simulated user (u) wrote nothing that could be sent, in 3 tries: ${reason}`,
    );
    expect(never.trial).toMatchObject({ attempts: 0, simulatedUser: { stoppedBy: null, requests: 3, turns: 0 } });
    expect(never.summary).toMatchObject({ passRate: null, failures: { llm_api: 1 } });
  });

  it("is to blame for what its provider says, and not the agent", async () => {
    const { verdicts, trial, summary, events } = await runWritten({
      user: "{ when: { turn: 2 }, reply: { error: { status: 500, body: { error: { message: boom } } } } }",
      userOtherwise: "{ text: cancel }",
    });
    expect(verdicts[0]).toMatch(
      /^s\/t@m errored SIMULATED_USER_ERROR: The simulated user \(u\) could not go on: .*500/,
    );
    expect(trial.error).toMatchObject({
      details: { role: "simulated_user", model: "u", tries: 1, causedBy: { code: "PROVIDER_API_ERROR" } },
      origin: { attempt: 1, turn: 1 },
    });
    expect(trial.error?.cause).toBeInstanceOf(Error);
    expect(summary).toMatchObject({ passRate: null, requests: 1, failures: { llm_api: 1 } });
    expect(summary.providers).toMatchObject([{ requests: 3, errors: 1, errorsByCode: { PROVIDER_API_ERROR: 1 } }]);
    const roles = events.flatMap((event) => (event.type === "attempt:end" ? [event.role ?? "agent"] : []));
    expect(roles).toEqual(["simulated_user", "agent", "simulated_user"]);
    expect(events.some((event) => event.type === "error" && event.phase === "model")).toBe(true);
  });

  it("leaves the agent its own errors", async () => {
    const { verdicts } = await runWritten({ agent: "", agentOtherwise: "{ text: '' }" });
    expect(verdicts[0]).toContain("errored ENGINE_EMPTY_RESPONSE");
  });

  it("is asked again by its retry policy, and another model takes its part without a permission", async () => {
    const retried = await runWritten({
      user: `{ when: { turn: 1, attempt: 1 }, reply: { error: { status: 503 } } }, ${customer}`,
      userModel: "retry: { max_attempts: 2, initial_delay: 1ms, max_delay: 1ms },",
    });
    expect(retried.verdicts).toEqual(["s/t@m passed"]);
    expect(retried.trial).toMatchObject({ attempts: 3, simulatedUser: { requests: 4 } });
    expect(retried.summary.retries).toBe(0);
    const stoodIn = await runWritten({
      user: "",
      userOtherwise: "{ error: { status: 503 } }",
      userModel: "retry: disabled, fallback: [deputy],",
      more: `  - { id: deputy, provider: scripted, script: { rules: [${customer}] } }\ndefaults: { models: [m] }`,
    });
    expect(stoodIn.verdicts).toEqual(["s/t@m passed"]);
    expect(stoodIn.trial.fallback).toBeNull();
    // Who stood in once goes on.
    expect(stoodIn.trial.simulatedUser?.requests).toBe(4);
    expect(stoodIn.trial.simulatedUser?.calls.map(({ fallback }) => fallback)).toEqual(["deputy", "deputy", "deputy"]);
  });

  const priced = "pricing: { input: 1000000, output: 0 },";

  it("costs money of its own, which the trial and the run pay", async () => {
    const usage = "usage: { input_tokens: 1, output_tokens: 0 }";
    const talk = `{ when: { user: { $contains: 'is cancelled' } }, reply: { text: '###GOAL_REACHED###', ${usage} } },
      { when: { user: { $contains: certain } }, reply: { text: 'Yes, sure.', ${usage} } },
      { when: { user: { $contains: begins } }, reply: { text: 'Please cancel my order', ${usage} } }`;
    const free = await runWritten({ user: talk, userModel: priced, assert: "{ type: cost, max: 0.5 }" });
    expect(free.verdicts).toEqual(["s/t@m passed"]);
    expect(free.trial).toMatchObject({ costUsd: 3, simulatedUser: { costUsd: 3, usage: { inputTokens: 3 } } });
    expect(free.summary).toMatchObject({ costUsd: 3, simulatedUser: { costUsd: 3 } });
    const ofTrial = await runWritten({ user: talk, userModel: priced, test: "limits: { max_trial_cost: 2 }" });
    expect(ofTrial.verdicts[0]).toBe("s/t@m errored ENGINE_BUDGET_EXCEEDED: max_trial_cost of $2 is used up");
    expect(ofTrial.trial.attempts).toBe(1);
    const ofRun = await runWritten({ user: talk, userModel: priced }, { maxCostUsd: 1 });
    expect(ofRun.verdicts[0]).toBe("s/t@m errored ENGINE_BUDGET_EXCEEDED: max_cost of $1 is used up");
    expect(ofRun.trial.attempts).toBe(0);
  });

  it("pays from the purse of a program, too", async () => {
    const cwd = projectOf({
      user: "",
      userOtherwise: "{ text: Hi, usage: { input_tokens: 1, output_tokens: 0 } }",
      userModel: priced,
      test: "target: { module: ./agent.mjs#run }\n        limits: { max_trial_cost: 2 }",
    });
    writeFileSync(join(cwd, "agent.mjs"), "export const run = () => 'Hello';");
    const ran = await runTests({ paths: [] }, { env: {}, cwd });
    const [test] = ran.success ? ran.data.suites.flatMap((suite) => suite.tests) : [];
    expect(test).toMatchObject({ status: "errored", error: { code: "ENGINE_BUDGET_EXCEEDED" } });
  });

  it("cannot be called any longer once the budget is used up, which is not the agent's doing", async () => {
    const { verdicts, trial } = await runWritten({
      agent: "",
      agentOtherwise: "{ text: Certain?, usage: { input_tokens: 1, output_tokens: 0 } }",
      agentModel: priced,
      test: "limits: { max_trial_cost: 1 }",
    });
    expect(verdicts).toEqual([
      "s/t@m errored SIMULATED_USER_ERROR: The simulated user (u) could not go on: max_trial_cost of $1 is used up",
    ]);
    expect(trial.error?.details).toMatchObject({
      causedBy: { code: "ENGINE_BUDGET_EXCEEDED", limit: "max_trial_cost" },
    });
    expect(trial.simulatedUser).toMatchObject({ stoppedBy: null, requests: 1, costUsd: 0 });
  });

  it("plays the same on every run of a seed, whatever the concurrency", async () => {
    const moody = {
      user: `{ when: { user: { $contains: begins } }, choose: [{ weight: 1, reply: { text: 'Please cancel my order' } }, { weight: 1, reply: { text: 'Hello' } }] },
        { when: { turn: { $gt: 1 } }, choose: [{ weight: 1, reply: { text: '###GOAL_REACHED###' } }, { weight: 1, reply: { text: 'sure' } }, { weight: 1, reply: { text: '' } }, { weight: 1, reply: { text: '###GIVE_UP###' } }] }`,
      test: "runs: 12",
    };
    const talks = async (concurrency: number) =>
      (await runWritten(moody, { concurrency })).trials
        .toSorted((a, b) => a.trial - b.trial)
        .map((trial) => [trial.status, trial.simulatedUser?.stoppedBy, ...spoken(trial)].join("|"));
    const alone = await talks(1);
    expect(await talks(50)).toEqual(alone);
    expect(new Set(alone).size).toBeGreaterThan(2);
  });
});
