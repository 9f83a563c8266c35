import { record } from "../../shape/record.js";
import { count, text } from "../../shape/scalars.js";
import type { Static } from "../../shape/shape.js";
import { toolFailureShape } from "../../transcript/tool-failure.js";

/** A message that asked the agent to continue after a tool error that it had ignored. */
export const nudgeShape = record({
  /** The user turn that it belongs to, from 1. */
  userTurn: count,
  /** What the agent received. */
  text,
  tool: text,
  /** The error that it is about. */
  failure: toolFailureShape,
});
export type Nudge = Static<typeof nudgeShape>;

/** The agent was asked to continue after a tool error that it had ignored. */
export type NudgeEvent = { channel: "progress"; type: "nudge" } & Nudge;
