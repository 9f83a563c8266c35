import type { RequestedToolCall } from "../transcript/message.js";
import type { ToolFailure } from "../transcript/tool-failure.js";
import type { CallAudit, HandlerOutcome } from "./tool-handler.js";

/** A finished call, its failure complete. */
export type CompleteOutcome = { ok: true; value: unknown } | { ok: false; failure: ToolFailure };

/** What plugins decide before a call reaches its tool. */
export type BeforeCall =
  /** The outcome of the call without its tool. */
  | { plugin: string; outcome: HandlerOutcome; isDenial: boolean }
  /** It needs an approval, or it needs none where the mode or a rule asks for one. */
  | { plugin: string; says: "ask" | "allow"; reason: string | null };

/**
 * Can change or block the calls of one trial that reach their tool. Neither rejects nor outlasts the signal; what it decides
 * is in the call's audit.
 */
export interface ToolHooks {
  /** Null if no plugin decides anything. */
  before(call: RequestedToolCall, signal: AbortSignal, audit: CallAudit): Promise<BeforeCall | null>;
  /** What replaces the tool's outcome; null keeps it. */
  after(
    call: RequestedToolCall,
    outcome: CompleteOutcome,
    signal: AbortSignal,
    audit: CallAudit,
  ): Promise<HandlerOutcome | null>;
}
