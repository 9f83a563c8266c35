import type { RequestedToolCall } from "../transcript/message.js";
import type { ToolFailure } from "../transcript/tool-failure.js";
import type { CallAudit, HandlerOutcome } from "./tool-handler.js";

/** A finished call, its failure complete. */
export type CompleteOutcome = { ok: true; value: unknown } | { ok: false; failure: ToolFailure };

/**
 * Can change or block the calls of one trial that reach their tool. Neither rejects nor outlasts the signal; what it decides
 * is in the call's audit.
 */
export interface ToolHooks {
  /** The outcome of the call without its tool; null lets it continue. */
  before(call: RequestedToolCall, signal: AbortSignal, audit: CallAudit): Promise<HandlerOutcome | null>;
  /** What replaces the tool's outcome; null keeps it. */
  after(
    call: RequestedToolCall,
    outcome: CompleteOutcome,
    signal: AbortSignal,
    audit: CallAudit,
  ): Promise<HandlerOutcome | null>;
}
