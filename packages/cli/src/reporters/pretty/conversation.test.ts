import { describe, expect, it } from "vitest";
import type { SimulatedUserRecord, SpokenMessage } from "@kindlm/core";
import { renderConversation } from "./conversation.js";
import { createPrettyView } from "./pretty-view.js";

function recordOf(
  conversation: readonly SpokenMessage[],
  rest: Partial<SimulatedUserRecord> = {},
): SimulatedUserRecord {
  return {
    model: "u",
    stoppedBy: "max_turns",
    turns: 1,
    requests: 1,
    costUsd: 0,
    unpricedRequests: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    conversation,
    calls: [],
    ...rest,
  };
}

function linesOf(record: SimulatedUserRecord, verbose = false): readonly string[] {
  const redact = (text: string): string => text.replaceAll("s3cret", "[redacted]");
  return renderConversation(record, redact, createPrettyView({ verbose, color: false, width: 80, redact }));
}

describe("renderConversation", () => {
  it("reports who said what, with what the model wrote marked, safely on one line each", () => {
    const said: SpokenMessage[] = [
      { by: "user", text: "Hi\nthere" },
      { by: "agent", text: "It is s3cret \u001b[31m" },
      { by: "simulated_user", text: "Thanks" },
    ];
    expect(linesOf(recordOf(said))).toEqual([
      "Conversation (1 message by u; max_turns was reached)",
      "├── User: Hi\\nthere",
      "├── Agent: It is [redacted] \\u001b[31m",
      "└── User (simulated): Thanks",
    ]);
    expect(linesOf(recordOf([], { stoppedBy: null, turns: 2 }))).toEqual([
      "Conversation (2 messages by u; an error ended it)",
    ]);
  });

  it("shows the end of a long one, and with --verbose all of it", () => {
    const long = recordOf(
      Array.from({ length: 15 }, (_, index) => ({ by: "agent", text: `${index} ${"x".repeat(300)}` })),
    );
    const lines = linesOf(long);
    expect(lines).toHaveLength(14);
    expect(lines[1]).toBe("├── … 3 earlier messages; --verbose shows all of them");
    expect(lines[2]).toBe(`├── Agent: 3 ${"x".repeat(158)}…`);
    const all = linesOf(long, true);
    expect(all).toHaveLength(16);
    expect(all[1]).toBe(`├── Agent: 0 ${"x".repeat(300)}`);
  });
});
