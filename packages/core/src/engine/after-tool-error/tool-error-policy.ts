import type { Result } from "../../result.js";
import type { SessionListener, TargetSession, Transcript } from "../../targets/target.js";
import type { ToolInvocation, ToolRuntime } from "../../tools/tool-runtime.js";
import type { Nudge } from "./nudge.js";

/** What one trial does after a tool error besides reporting it to the agent. */
export interface ToolErrorPolicy {
  /** Sees and steers what goes on inside the session. */
  watch<Settings extends { listener: SessionListener; tools: ToolRuntime }>(settings: Settings): Settings;
  /** The session with a `send` that acts on it. */
  wrap(session: TargetSession): TargetSession;
  /** What the trial is judged by. */
  cut(transcript: Transcript): Transcript;
  /** The call whose error ended the trial; null when none did. */
  endedBy(conversed: Result<void>): ToolInvocation | null;
  readonly nudges: readonly Nudge[];
}

/** The agent goes on by itself. */
export const goOn: ToolErrorPolicy = {
  watch: (settings) => settings,
  wrap: (session) => session,
  cut: (transcript) => transcript,
  endedBy: () => null,
  nudges: [],
};
