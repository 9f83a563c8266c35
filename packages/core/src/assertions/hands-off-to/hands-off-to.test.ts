import { expect, it } from "vitest";
import { evaluateWritten } from "../../__fixtures__/evaluate-written.js";
import type { Message } from "../../transcript/message.js";

const by = (...agents: (string | undefined)[]): readonly Message[] =>
  agents.map((agent, index) => ({
    role: "assistant",
    text: `Answer ${index + 1}`,
    toolCalls: [],
    ...(agent === undefined ? {} : { agent }),
  }));

const there = by("triage", "triage", "billing", undefined, "triage");

it.each([
  [{ to: "billing" }, there, true, "1 hand-off to billing"],
  [{ to: "billing", from: "triage", times: 1 }, there, true, "1 hand-off to billing from triage"],
  [{ to: "billing", times: 0 }, by("triage"), true, "0 hand-offs to billing"],
  [{ to: "billing" }, by("triage"), false, "Expected a hand-off to billing, but one agent gave all answers"],
  [
    { to: "biling" },
    there,
    false,
    'Expected a hand-off to biling, but the hand-offs were triage → billing, billing → triage. Did you mean "billing"?',
  ],
  [{ to: "billing", times: 2 }, there, false, "Expected a hand-off to billing 2 times, but there was 1"],
  [{ to: "triage", times: 0 }, there, false, "Expected no hand-off to triage, but there was 1"],
  [{ to: "triage", from: "sales" }, there, false, "Expected a hand-off to triage from sales, but the hand-offs were"],
])("%j is decided by who answers next", async (options, messages, pass, message) => {
  const result = await evaluateWritten({ type: "hands_off_to", ...options }, { messages });
  expect(result).toMatchObject({ success: true, data: { pass, message: expect.stringContaining(message) } });
});

it("cannot be decided if the agents have no names", async () => {
  const result = await evaluateWritten({ type: "hands_off_to", to: "billing", times: 0 }, { messages: by(undefined) });
  expect(result).toMatchObject({ success: false, error: { message: expect.stringContaining("names no agents") } });
});
