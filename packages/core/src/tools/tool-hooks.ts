import type { RequestedToolCall } from "../transcript/message.js";
import type { ToolFailure } from "../transcript/tool-failure.js";
import type { CallAudit, HandlerOutcome } from "./tool-handler.js";

/** A finished call, its failure complete. */
export type CompleteOutcome = { ok: true; value: unknown } | { ok: false; failure: ToolFailure };

/**
 * Has a say in the calls of one trial that reach their tool. Neither rejects nor outlasts the signal; what it decides
 * is in the call's audit.
 */
export interface ToolHooks {
  /** What the call comes to without its tool; null lets it go on. */
  before(call: RequestedToolCall, signal: AbortSignal, audit: CallAudit): Promise<HandlerOutcome | null>;
  /** What stands in for the tool's outcome; null keeps it. */
  after(
    call: RequestedToolCall,
    outcome: CompleteOutcome,
    signal: AbortSignal,
    audit: CallAudit,
  ): Promise<HandlerOutcome | null>;
}
