import type { ToolFailure } from "./tool-failure.js";

/** A message that told the agent to go on after a tool error which it had left as it was. */
export interface Nudge {
  /** The user turn that it belongs to, from 1. */
  userTurn: number;
  /** What the agent was told. */
  text: string;
  tool: string;
  /** The error that it is about. */
  failure: ToolFailure;
}
