import type { TrialRef } from "../engine/run-event.js";
import type { RequestedToolCall } from "../transcript/message.js";
import type { CallAudit, HandlerOutcome } from "../tools/tool-handler.js";
import type { BeforeCall, CompleteOutcome, ToolHooks } from "../tools/tool-hooks.js";
import type { HookDecision } from "../transcript/hook-decision.js";
import type { HookedCall, HookedOutcome } from "./define-plugin.js";
import type { CopyForHook } from "./frozen-copy.js";
import type { OpenPlugin } from "./open-plugin.js";
import type { HookInput } from "./loaded-plugin.js";
import type { HookOpinion, HookVerdict } from "./read-decision.js";

/** The tool hooks of the plugins for one trial, or null where no plugin has any. */
export function createToolHooks(
  plugins: readonly OpenPlugin[],
  copy: CopyForHook,
): ((trial: TrialRef, workspace: string | null) => ToolHooks) | null {
  const before = plugins.filter((plugin) => plugin.has("preToolUse"));
  const after = plugins.filter((plugin) => plugin.has("postToolUse"));
  if (before.length === 0 && after.length === 0) return null;

  return ({ suite, caseId, trial }, workspace) => {
    const ctx = { suite, caseId, trial, workspace };
    return {
      async before(call, signal, audit) {
        if (before.length === 0) return null;
        return decideBefore(before, { given: [callOf(call, copy)], ctx }, signal, audit);
      },
      async after(call, outcome, signal, audit) {
        if (after.length === 0) return null;
        const given = [callOf(call, copy), outcomeOf(outcome, copy)];
        const own = outcome.ok ? { returned: outcome.value ?? null } : { error: outcome.failure };
        return decideAfter(after, { given, ctx }, signal, (verdict) => record(verdict, "postToolUse", audit, own));
      },
    };
  };
}

type Decided<Decision> = Decision & { plugin: string };

/**
 * Asks one plugin after the other, until one denies the call or gives its result. A plugin that asks for an approval
 * counts more than one that allows the call.
 */
async function decideBefore(
  plugins: readonly OpenPlugin[],
  input: HookInput,
  signal: AbortSignal,
  audit: CallAudit,
): Promise<BeforeCall | null> {
  let opinion: Decided<HookOpinion> | null = null;
  for (const plugin of plugins) {
    // Only if it leaves the call to the next one is that one asked.
    const decided = await plugin.decide("preToolUse", input, signal);
    if (decided === null) continue;
    const { name } = plugin;
    if ("outcome" in decided) {
      const outcome = record({ ...decided, plugin: name }, "preToolUse", audit, {});
      return { plugin: name, outcome, isDenial: decided.decision === "deny" };
    }
    if (opinion === null || (opinion.decision === "allow" && decided.decision === "ask")) {
      opinion = { ...decided, plugin: name };
    }
  }
  return opinion === null ? null : { plugin: opinion.plugin, says: opinion.decision, reason: opinion.reason };
}

/** Asks one plugin after the other, until one decides. */
async function decideAfter(
  plugins: readonly OpenPlugin[],
  input: HookInput,
  signal: AbortSignal,
  toOutcome: (verdict: Decided<HookVerdict>) => HandlerOutcome,
): Promise<HandlerOutcome | null> {
  for (const plugin of plugins) {
    // The first that decides wins, so that the next is not asked.
    const verdict = await plugin.decide("postToolUse", input, signal);
    if (verdict !== null && "outcome" in verdict) return toOutcome({ ...verdict, plugin: plugin.name });
  }
  return null;
}

function record(
  { plugin, decision, reason, outcome }: Decided<HookVerdict>,
  hook: HookDecision["hook"],
  audit: CallAudit,
  own: Pick<HookDecision, "returned" | "error">,
): HandlerOutcome {
  audit.hook = { plugin, hook, decision, reason, ...own };
  return outcome;
}

function callOf({ id, tool, args }: RequestedToolCall, copy: CopyForHook): HookedCall {
  return copy({ id, tool, name: tool, args: args ?? {} });
}

function outcomeOf(outcome: CompleteOutcome, copy: CopyForHook): HookedOutcome {
  return copy(outcome.ok ? { ok: true, value: outcome.value ?? null } : { ok: false, error: outcome.failure });
}
