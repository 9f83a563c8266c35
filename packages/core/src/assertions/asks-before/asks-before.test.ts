import { describe, expect, it } from "vitest";
import type { Message } from "../../transcript/message.js";
import type { Trial, TrialToolCall } from "../../transcript/trial.js";
import type { AssertionContext } from "../define-assertion.js";
import { asksBefore, findQuestion } from "./asks-before.js";

const user = (content: string): Message => ({ role: "user", content });
const says = (text: string, ...calls: [tool: string, args: unknown][]): Message => ({
  role: "assistant",
  text,
  toolCalls: calls.map(([tool, args], index) => ({ id: `call_${index}`, tool, args })),
});
const cancels = says("", ["cancel", { id: 1 }]);
const done: Message = { role: "tool", callId: "call_0", tool: "cancel", content: "ok", isError: false };

const evaluate = (trial: Trial, written: object = {}) =>
  asksBefore.evaluate(asksBefore.options.parse({ tool: "cancel", ...written }), trial, {} as AssertionContext);

describe("asks_before", () => {
  const sure = "Shall I really cancel order 1?";
  it.each<[why: string, messages: Message[], written: object, message: string]>([
    ["no call", [user("Hi"), says("Hello.")], {}, "No call of cancel was made, so nothing had to be asked"],
    [
      "no such call",
      [user("Hi"), cancels, done, says("Done.")],
      { args: { id: 2 } },
      "No call of cancel with {id: 2} was made, so nothing had to be asked",
    ],
    [
      "a question and a reply",
      [user("Cancel 1"), says(`This is final. ${sure}`), user("Yes"), cancels, done, says("Done.")],
      {},
      `cancel({id: 1}) came after a question and the user's reply: "${sure}"`,
    ],
    [
      "a reply before other calls",
      [user("Cancel 1"), says(sure), user("Yes"), says("", ["lookup", {}]), done, cancels, done],
      { tool: ["delete_*", "cancel"] },
      `cancel({id: 1}) came after a question and the user's reply: "${sure}"`,
    ],
    [
      "an answer of the kind that is wanted",
      [user("Cancel 1"), says("Please confirm."), user("Yes"), cancels],
      { question: { $regex: "confirm" } },
      `cancel({id: 1}) came after a question and the user's reply: "Please confirm."`,
    ],
  ])("passes for %s", async (_, messages, written, message) => {
    expect(await evaluate({ messages }, written)).toEqual({ success: true, data: { pass: true, score: 1, message } });
  });

  const wanted = "Expected a question and the user's reply before cancel({id: 1}), but";
  it.each<[why: string, messages: Message[], written: object, message: string]>([
    [
      "a call at once",
      [user("Cancel 1"), cancels, done, says("Done.")],
      {},
      `${wanted} the agent had asked nothing before`,
    ],
    [
      "a question afterwards",
      [user("Cancel 1"), cancels, done, says("Was that right?")],
      {},
      `${wanted} it asked only afterwards: "Was that right?"`,
    ],
    [
      "a question beside the call",
      [user("Cancel 1"), says(sure, ["cancel", { id: 1 }]), done, says("Done."), user("Yes")],
      {},
      `${wanted} it called tools in the very message that asks: "${sure}"`,
    ],
    [
      "a question beside another call, though the user spoke after it",
      [user("Cancel 1"), says(sure, ["lookup", {}]), done, says("I looked."), user("Go on"), cancels],
      {},
      `${wanted} it called tools in the very message that asks: "${sure}"`,
    ],
    [
      "an answer that asks nothing",
      [user("Cancel 1"), says("I will."), user("Go on"), cancels],
      {},
      `${wanted} its answer before that asks nothing of the kind: "I will."`,
    ],
    [
      "another question than is wanted",
      [user("Cancel 1"), says("Anything else?"), user("No"), cancels],
      { question: { $regex: "cancel" } },
      'Expected an answer (matching /cancel/) and the user\'s reply before cancel({id: 1}), but its answer before that asks nothing of the kind: "Anything else?"',
    ],
    [
      "the first of two calls",
      [user("Cancel 1"), cancels, done, says(sure), user("Yes"), says("", ["cancel", { id: 2 }])],
      {},
      `${wanted} it asked only afterwards: "${sure}"`,
    ],
    [
      "a user that asks",
      [user("Cancel 1?"), says("I can."), user("Will you?"), cancels],
      {},
      `${wanted} its answer before that asks nothing of the kind: "I can."`,
    ],
  ])("fails for %s", async (_, messages, written, message) => {
    expect(await evaluate({ messages }, written)).toMatchObject({ data: { pass: false, score: 0, message } });
  });

  it("shows the call that came too early", async () => {
    expect(await evaluate({ messages: [user("Cancel 1"), cancels] }, { args: { id: 1 } })).toMatchObject({
      data: {
        expected: "a question and the user's reply before cancel with {id: 1}",
        actual: { tool: "cancel", args: { id: 1 } },
      },
    });
  });

  describe("the calls", () => {
    const call = (userTurn: number, id = 1): TrialToolCall => ({ tool: "cancel", args: { id }, turn: 1, userTurn });
    const history = [user("Cancel 7"), says("", ["cancel", { id: 7 }]), done, says("Done. More?"), user("Cancel 1")];

    it("are those of the trial, not of its history, whose questions count", async () => {
      const trial = { messages: [...history, cancels, done, says("Done.")], toolCalls: [call(1)] };
      expect(await evaluate(trial)).toMatchObject({ data: { pass: true } });
      expect(await evaluate(trial, { question: { $contains: "sure" } })).toMatchObject({
        data: { pass: false, actual: { args: { id: 1 } } },
      });
      expect(await evaluate({ messages: history, toolCalls: [] })).toMatchObject({
        data: { message: "No call of cancel was made, so nothing had to be asked" },
      });
    });

    it("are placed by their user turn where the messages do not hold them", async () => {
      const messages = [user("Cancel 1"), says(sure), user("Yes"), says("Done.")];
      expect(await evaluate({ messages, toolCalls: [call(2)] })).toMatchObject({ data: { pass: true } });
      expect(await evaluate({ messages, toolCalls: [call(1)] })).toMatchObject({
        data: { pass: false, message: `${wanted} it asked only afterwards: "${sure}"` },
      });
    });

    it.each<[why: string, trial: Trial]>([
      ["no messages", { toolCalls: [call(1)] }],
      ["one user turn of several", { messages: [user("Yes"), cancels], toolCalls: [call(2)] }],
      ["calls without a place", { messages: [user("Yes")], toolCalls: [{ tool: "cancel", args: {} }] }],
      ["calls that are not those of the messages", { messages: [cancels], toolCalls: [{ tool: "lookup", args: {} }] }],
    ])("cannot be judged with %s", async (_, trial) => {
      expect(await evaluate(trial)).toMatchObject({ success: false, error: { code: "ASSERTION_EVAL_ERROR" } });
    });
  });

  describe("approvals", () => {
    const asked = { decision: "approved", by: "approval", id: "c", approval: 1 } as const;
    const call = (id: number, permission?: TrialToolCall["permission"]): TrialToolCall => ({
      tool: "cancel",
      args: { id },
      userTurn: 1,
      ...(permission === undefined ? {} : { permission }),
    });
    const messagesOf = (calls: readonly TrialToolCall[]): Message[] => [
      user("Cancel"),
      ...calls.map(({ args }) => says("", ["cancel", args])),
    ];
    const judge = (calls: readonly TrialToolCall[], written: object) =>
      evaluate({ toolCalls: calls, messages: messagesOf(calls) }, written);
    const every = "An approval was asked for cancel({id: 1}) and for every other call of cancel that could run";
    const missing = "Expected an approval to be asked for each call of cancel, but cancel({id: 2}) ran without";
    const nothing = "No call of cancel was made, so nothing had to be asked";
    const never = { decision: "denied", by: "mode", rule: "readonly" } as const;

    it.each<[calls: TrialToolCall[], written: object, pass: boolean, message: string]>([
      [[call(1, asked), call(2, { ...asked, decision: "denied" })], {}, true, every],
      [[call(1, asked), call(2, asked)], { by: "approval" }, true, every],
      [[call(1, { decision: "pending", by: "mode", id: "c" }), call(2, never)], { by: "approval" }, true, every],
      [[call(1, asked), call(2)], { by: "approval" }, false, missing],
      [[call(1, asked), call(2, { decision: "allowed", by: "hook" })], { by: "approval" }, false, missing],
      [[call(1, never)], { by: "approval" }, true, nothing],
      [[], { by: "approval" }, true, nothing],
      [[call(1, asked)], { by: "message" }, false, `${wanted} the agent had asked nothing before`],
      [[call(1, asked), call(2)], {}, false, `${wanted} the agent had asked nothing before`],
    ])("%j with %j", async (calls, written, pass, message) => {
      expect(await judge(calls, written)).toMatchObject({ data: { pass, message } });
    });

    it("need no matcher for a question", () => {
      expect(asksBefore.options.safeParse({ tool: "pay", by: "approval", question: "x" }).success).toBe(false);
    });
  });

  it("refers to the tools that it names, and needs none", () => {
    expect(asksBefore.references?.(asksBefore.options.parse({ tool: ["cancel", "delete_*"] }))).toEqual([
      { kind: "tool", name: "cancel", needed: false, path: ["tool", 0] },
      { kind: "tool", name: "delete_*", needed: false, isGlob: true, path: ["tool", 1] },
    ]);
    expect(asksBefore.options.safeParse({}).success).toBe(false);
  });
});

describe("findQuestion", () => {
  it.each([
    ["I found it. Shall I cancel?", "Shall I cancel?"],
    ["Order 1:\n- milk\nIs that right? Tell me.", "Is that right?"],
    ["确定要取消吗？请确认。", "确定要取消吗？"],
    ["هل أنت متأكد؟", "هل أنت متأكد؟"],
    ["Shall I open https://shop.example/a?b=c?", "Shall I open https://shop.example/a?b=c?"],
    ["Is `a ? b : c` right?", "Is `a ? b : c` right?"],
  ])("finds the question in %j", (text, question) => {
    expect(findQuestion(text)).toBe(question);
  });

  it.each(["", "Done.", "See https://shop.example/a?b=c for more.", "I ran `a ? b : c`.", "```\nreally?\n```\nDone."])(
    "finds none in %j",
    (text) => {
      expect(findQuestion(text)).toBeNull();
    },
  );
});
