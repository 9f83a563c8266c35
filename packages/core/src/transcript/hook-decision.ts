import type { ToolFailure } from "./tool-failure.js";

/** What a hook of a plugin made of a tool call, so that its answer is never taken for the tool's own. */
export interface HookDecision {
  plugin: string;
  hook: "preToolUse" | "postToolUse";
  decision: "deny" | "replace";
  reason: string | null;
  /** What the tool returned before `postToolUse` replaced it. */
  returned?: unknown;
  /** How the tool failed before `postToolUse` replaced that. */
  error?: ToolFailure;
}
