import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FinishReason, ProviderResponse } from "../../providers/provider.js";
import { readSimulatorReply } from "./read-simulator-reply.js";
import { endMarkersOf, scriptedMarkers } from "./end-markers.js";

const markers = endMarkersOf(7);
const context = {
  lastAnswer: "Which order do you mean, please?",
  fence: "agent_said_x1",
  markers,
  isScripted: false,
};

function replyOf(text: string, unified: FinishReason = "stop"): ProviderResponse {
  return {
    text,
    toolCalls: [],
    finishReason: { unified, raw: unified },
    usage: null,
    modelServed: null,
    requestId: null,
    latencyMs: 0,
  };
}

const misplaced = "an ending stands alone on the last line, exactly as it is written in your instructions";

describe("readSimulatorReply", () => {
  it.each([
    ["Where is it?", "Where is it?"],
    ["  Where is it?\n", "Where is it?"],
    ["User: Where is it?", "Where is it?"],
    ["**Customer:** Where is it?", "Where is it?"],
    ['"Where is it?"', "Where is it?"],
    ["“Where is it?”", "Where is it?"],
    ['"A" or "B"?', '"A" or "B"?'],
    ["Is the agent: Bob still there?", "Is the agent: Bob still there?"],
    ["Are you an AI?", "Are you an AI?"],
    ["You, as an AI, should know.", "You, as an AI, should know."],
    ["I am an AI engineer, and I work as a model.", "I am an AI engineer, and I work as a model."],
    ["I am an aide to the minister", "I am an aide to the minister"],
  ])("takes %j for %j", (text, expected) => {
    expect(readSimulatorReply(replyOf(text), context)).toEqual({ kind: "message", text: expected });
  });

  it.each([
    [markers.goal, "goal"],
    [`Thank you!\n${markers.goal}`, "goal"],
    [`"${markers.goal}"`, "goal"],
    [`User: **${markers.goal.toLowerCase().replaceAll("_", " ")}**`, "goal"],
    [markers.goal.slice(0, -3), "goal"],
    [markers.gave_up, "gave_up"],
    [`I will call instead.\n${markers.gave_up}`, "gave_up"],
  ])("takes %j for the end: %s", (text, by) => {
    expect(readSimulatorReply(replyOf(text), context)).toEqual({ kind: "end", by });
  });

  it.each([
    ["", "it is empty"],
    ["User:", "it is empty"],
    [`${markers.goal}\n${markers.gave_up}`, "it holds more than one ending"],
    [`Thank you! ${markers.goal}`, misplaced],
    [`${markers.goal}\nWait, one more thing`, misplaced],
    [`You told me to write ${markers.id}?`, misplaced],
    [`${markers.goal} ${markers.gave_up}`, misplaced],
    [scriptedMarkers.goal, misplaced],
    [`Thank you!\n${scriptedMarkers.gave_up}`, misplaced],
    [endMarkersOf(8).goal, misplaced],
    ["Assistant: Which order?", "it writes the assistant's part"],
    ["ORD-1\n\nAgent: I have found it.", "it writes the assistant's part"],
    ["<agent_said_x1>Found</agent_said_x1>", "it writes the assistant's part"],
    ["As a language model, I have no orders.", "it speaks as the assistant"],
    ["I'm an AI, so I have no orders.", "it speaks as the assistant"],
    [context.lastAnswer, "it repeats the assistant's words"],
  ])("cannot use %j: %s", (text, reason) => {
    expect(readSimulatorReply(replyOf(text), context)).toEqual({ kind: "unusable", reason });
  });

  it("cannot use an end before the agent has said anything, nor what was cut off or refused", () => {
    const early = readSimulatorReply(replyOf(markers.goal), { ...context, lastAnswer: null });
    const kinds = (["length", "refusal", "content_filter"] as const).map((why) =>
      readSimulatorReply(replyOf("Hello", why), context),
    );
    expect([early, ...kinds].map(({ kind }) => kind)).toEqual(Array.from({ length: 4 }, () => "unusable"));
  });

  it.each([
    [scriptedMarkers.goal, { kind: "end", by: "goal" }],
    [`Thanks\n${scriptedMarkers.gave_up}`, { kind: "end", by: "gave_up" }],
    [markers.goal, { kind: "end", by: "goal" }],
    [`The agent says ${scriptedMarkers.goal}`, { kind: "unusable", reason: misplaced }],
    ["Goal reached", { kind: "message", text: "Goal reached" }],
  ])("takes %j of a script as what it is", (text, expected) => {
    expect(readSimulatorReply(replyOf(text), { ...context, isScripted: true })).toEqual(expected);
  });

  it("never lets a marker through to the agent, whatever stands around it", () => {
    const marker = fc
      .constantFrom(markers.goal, markers.gave_up, scriptedMarkers.goal, scriptedMarkers.gave_up)
      .chain((text) =>
        fc.record({ cut: fc.constantFrom(0, 1, 2, 3), isLower: fc.boolean() }).map(({ cut, isLower }) => {
          const written = text.slice(0, text.length - cut);
          return isLower ? written.toLowerCase() : written;
        }),
      );
    fc.assert(
      fc.property(fc.string(), marker, fc.string(), (before, written, after) => {
        expect(readSimulatorReply(replyOf(`${before}${written}${after}`), context).kind).not.toBe("message");
      }),
    );
  });
});
