import type { TrialRef } from "../engine/run-event.js";
import type { RequestedToolCall } from "../transcript/message.js";
import type { CallAudit, HandlerOutcome } from "../tools/tool-handler.js";
import type { CompleteOutcome, ToolHooks } from "../tools/tool-hooks.js";
import type { HookDecision } from "../transcript/hook-decision.js";
import type { HookedCall, HookedOutcome, PluginContext, TrialContext } from "./define-plugin.js";
import type { CopyForHook } from "./frozen-copy.js";
import type { OpenPlugin } from "./open-plugin.js";
import { readPostToolUse, readPreToolUse, type HookVerdict, type ReadDecision } from "./read-decision.js";

/** The tool hooks of the plug-ins for one trial, or null where no plug-in has any. */
export function createToolHooks(
  plugins: readonly OpenPlugin[],
  copy: CopyForHook,
): ((trial: TrialRef) => ToolHooks) | null {
  const before = plugins.filter((plugin) => plugin.has("preToolUse"));
  const after = plugins.filter((plugin) => plugin.has("postToolUse"));
  if (before.length === 0 && after.length === 0) return null;

  return ({ suite, caseId, trial }) => {
    const contextOf = (ctx: PluginContext): TrialContext => Object.freeze({ ...ctx, suite, caseId, trial });
    return {
      async before(call, signal, audit) {
        if (before.length === 0) return null;
        const hooked = callOf(call, copy);
        const args = (ctx: PluginContext): readonly unknown[] => [hooked, contextOf(ctx)];
        const decided = await firstVerdict(before, "preToolUse", readPreToolUse, args, signal);
        return decided === null ? null : record(decided, "preToolUse", audit, {});
      },
      async after(call, outcome, signal, audit) {
        if (after.length === 0) return null;
        const hooked = callOf(call, copy);
        const shown = outcomeOf(outcome, copy);
        const args = (ctx: PluginContext): readonly unknown[] => [hooked, shown, contextOf(ctx)];
        const decided = await firstVerdict(after, "postToolUse", readPostToolUse, args, signal);
        const own = outcome.ok ? { returned: outcome.value ?? null } : { error: outcome.failure };
        return decided === null ? null : record(decided, "postToolUse", audit, own);
      },
    };
  };
}

interface Decided extends HookVerdict {
  plugin: string;
}

/** Asks one plug-in after the other, until one decides. */
async function firstVerdict(
  plugins: readonly OpenPlugin[],
  hook: HookDecision["hook"],
  read: ReadDecision,
  args: (ctx: PluginContext) => readonly unknown[],
  signal: AbortSignal,
): Promise<Decided | null> {
  for (const plugin of plugins) {
    // oxlint-disable-next-line no-await-in-loop -- the first that decides wins, so that the next is not asked
    const answered = await plugin.call(hook, args, signal);
    if (answered === null) continue;
    const verdict = read(answered.answer);
    if (!verdict.success) plugin.complaints.add(hook, verdict.error, false);
    else if (verdict.data !== null) return { ...verdict.data, plugin: plugin.name };
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
