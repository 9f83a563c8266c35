import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { conversationEnds, type ConversationEnd } from "../../transcript/simulated-user.js";
import { missingField } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";

const end = z.enum(conversationEnds);

const told: Readonly<Record<ConversationEnd, string>> = {
  goal: "The simulated user reached its goal",
  gave_up: "The simulated user gave up",
  stop: "An answer of the agent met the stop of the simulated user",
  max_turns: "The messages of the simulated user were used up",
};

export const conversationEnded = defineAssertion({
  type: "conversation_ended",
  summary: "The conversation with the simulated user ended this way: goal, gave_up, stop or max_turns.",
  example: "{ type: conversation_ended, by: goal }",
  kind: "deterministic",
  spansUserTurns: true,
  needsSimulatedUser: true,
  options: strictObject({
    by: z
      .union([end, z.array(end).min(1)])
      .describe("How it must have ended; a list for any of them. max_turns: max_turns messages did not suffice."),
  }),
  evaluate({ by }, trial) {
    const actual = trial.stoppedBy;
    if (actual === undefined) return missingField("conversation_ended", "stoppedBy");
    const wanted = typeof by === "string" ? [by] : by;
    const outcome = `${told[actual]} (${actual})`;
    if (wanted.includes(actual)) return success({ pass: true, score: 1, message: outcome });
    const message = `Expected the conversation to end by ${wanted.join(" or ")}, but: ${outcome}`;
    return success({ pass: false, score: 0, message, expected: by, actual });
  },
});
