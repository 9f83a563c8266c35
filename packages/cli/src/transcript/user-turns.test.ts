import type { Message } from "@kindlm/core";
import { expect, it } from "vitest";
import { isAnswer } from "./user-turns.js";

const user = (content: string, more = {}): Message => ({ role: "user", content, ...more });
const agent = (text: string, tools: readonly string[] = []): Message => ({
  role: "assistant",
  text,
  toolCalls: tools.map((tool) => ({ id: tool, tool, args: {} })),
});

it("takes what the agent says last in a turn of the user for its answer", () => {
  const messages = [user("a"), agent("one moment"), agent("done"), user("b"), agent("", ["look"]), agent("no")];
  expect(messages.flatMap((_, index) => (isAnswer(messages, index) ? [index] : []))).toEqual([2, 5]);
});

it("takes nothing before a nudge, and no call, for an answer", () => {
  const messages = [user("a"), agent("hm"), user("go on", { isNudge: true }), agent("", ["look"])];
  expect(messages.some((_, index) => isAnswer(messages, index))).toBe(false);
});
