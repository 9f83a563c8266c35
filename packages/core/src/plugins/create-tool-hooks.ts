import type { TrialRef } from "../engine/run-event.js";
import type { RequestedToolCall } from "../transcript/message.js";
import type { CallAudit, HandlerOutcome } from "../tools/tool-handler.js";
import type { CompleteOutcome, ToolHooks } from "../tools/tool-hooks.js";
import type { HookDecision } from "../transcript/hook-decision.js";
import type { HookedCall, HookedOutcome } from "./define-plugin.js";
import type { CopyForHook } from "./frozen-copy.js";
import type { OpenPlugin } from "./open-plugin.js";
import type { HookInput } from "./loaded-plugin.js";
import type { HookVerdict } from "./read-decision.js";

/** The tool hooks of the plugins for one trial, or null where no plugin has any. */
export function createToolHooks(
  plugins: readonly OpenPlugin[],
  copy: CopyForHook,
): ((trial: TrialRef) => ToolHooks) | null {
  const before = plugins.filter((plugin) => plugin.has("preToolUse"));
  const after = plugins.filter((plugin) => plugin.has("postToolUse"));
  if (before.length === 0 && after.length === 0) return null;

  return ({ suite, caseId, trial }) => {
    const ctx = { suite, caseId, trial };
    return {
      async before(call, signal, audit) {
        if (before.length === 0) return null;
        const decided = await firstVerdict(before, "preToolUse", { given: [callOf(call, copy)], ctx }, signal);
        return decided === null ? null : record(decided, "preToolUse", audit, {});
      },
      async after(call, outcome, signal, audit) {
        if (after.length === 0) return null;
        const given = [callOf(call, copy), outcomeOf(outcome, copy)];
        const decided = await firstVerdict(after, "postToolUse", { given, ctx }, signal);
        const own = outcome.ok ? { returned: outcome.value ?? null } : { error: outcome.failure };
        return decided === null ? null : record(decided, "postToolUse", audit, own);
      },
    };
  };
}

interface Decided extends HookVerdict {
  plugin: string;
}

/** Asks one plugin after the other, until one decides. */
async function firstVerdict(
  plugins: readonly OpenPlugin[],
  hook: HookDecision["hook"],
  input: HookInput,
  signal: AbortSignal,
): Promise<Decided | null> {
  for (const plugin of plugins) {
    // The first that decides wins, so that the next is not asked.
    const verdict = await plugin.decide(hook, input, signal);
    if (verdict !== null) return { ...verdict, plugin: plugin.name };
  }
  return null;
}

function record(
  { plugin, decision, reason, outcome }: Decided,
  hook: HookDecision["hook"],
  audit: CallAudit,
  own: Pick<HookDecision, "returned" | "error">,
): HandlerOutcome {
  audit.hook = { plugin, hook, decision, reason, ...own };
  return outcome;
}

function callOf({ id, tool, args }: RequestedToolCall, copy: CopyForHook): HookedCall {
  return copy({ id, tool, args: args ?? {} });
}

function outcomeOf(outcome: CompleteOutcome, copy: CopyForHook): HookedOutcome {
  return copy(outcome.ok ? { ok: true, value: outcome.value ?? null } : { ok: false, error: outcome.failure });
}
