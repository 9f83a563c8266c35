import type { TrialToolCall } from "@kindlm/core";

/** Whose line it is. `kindlm` is what the test runner put into the conversation or did to it. */
export type Speaker = "user" | "agent" | "tool" | "fault" | "retry" | "kindlm";

/** A tool call as the agent asked for it. The record is null if it was never run. */
export interface CalledTool {
  tool: string;
  args: unknown;
  /** The arguments as text, if they were not JSON. */
  raw: string | null;
  record: TrialToolCall | null;
  /** From 1: which of the calls with the same tool and arguments. */
  repeat: number;
}

/** One line of a transcript. `note` stands at the right. */
/** Of which {@link TranscriptRow} is one, with its place. */
export type RowParts =
  /** `name`: which agent it is, if there are several. */
  | { by: Speaker; text: string; note?: string; isTrouble?: boolean; name?: string }
  | { by: "agent"; call: CalledTool; name?: string }
  | { by: "tool"; result: unknown };

/**
 * `atMs`: since the start of the trial; null for what was said before. `agents`: the sub-agents down to the one whose
 * conversation it belongs to; absent for the agent under test.
 */
export type TranscriptRow = RowParts & { atMs: number | null; agents?: readonly string[] };
