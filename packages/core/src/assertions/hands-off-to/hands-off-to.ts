import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { agentsIn, handOffsIn, type HandOff } from "../../transcript/named-agents.js";
import * as z from "../../values/deferred-zod.js";
import { didYouMean } from "../../values/nearest-name.js";
import { plural } from "../../values/plural.js";
import { evalError, missingField } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";

const type = "hands_off_to";

export const handsOffTo = defineAssertion({
  type,
  summary: "An agent gave the conversation to the agent with this name, which answered.",
  example: "{ type: hands_off_to, to: billing, from: triage }",
  kind: "deterministic",
  spansAgents: true,
  options: strictObject({
    to: z.string().min(1).describe("Name of the agent that takes over."),
    from: z.string().min(1).optional().describe("Name of the agent that gives the conversation away. Default: any."),
    times: z.int().nonnegative().optional().describe("How often exactly. Default: at least once."),
  }),
  evaluate({ to, from, times }, trial) {
    if (trial.messages === undefined) return missingField(type, "messages");
    const names = agentsIn(trial);
    if (names.length === 0)
      return evalError(type, `The "${type}" assertion reads hand-offs, but the trial names no agents`);
    const handOffs = handOffsIn(trial.messages);
    const counted = handOffs.filter((one) => one.to === to && (from === undefined || one.from === from));
    const actual = handOffs.map((one) => ({ ...one }));
    if (times === undefined ? counted.length > 0 : counted.length === times) {
      const message = `${plural(counted.length, "hand-off")} to ${to}${from === undefined ? "" : ` from ${from}`}`;
      return success({ pass: true, score: 1, message, actual });
    }
    const often = times === undefined || times === 0 ? "" : ` ${plural(times, "time")}`;
    const wish = times === 0 ? "no hand-off" : "a hand-off";
    const found =
      counted.length > 0 ? `there ${counted.length === 1 ? "was" : "were"} ${counted.length}` : describe(handOffs);
    const meant = [to, from ?? to].find((name) => !names.includes(name));
    const hint = meant === undefined ? undefined : didYouMean(meant, names);
    const message = `Expected ${wish} to ${to}${from === undefined ? "" : ` from ${from}`}${often}, but ${found}${hint === undefined ? "" : `. ${hint}`}`;
    const expected = { to, ...(from === undefined ? {} : { from }), ...(times === undefined ? {} : { times }) };
    return success({ pass: false, score: 0, message, expected, actual });
  },
});

function describe(handOffs: readonly HandOff[]): string {
  if (handOffs.length === 0) return "one agent gave all answers";
  return `the hand-offs were ${[...new Set(handOffs.map(({ from, to }) => `${from} → ${to}`))].join(", ")}`;
}
