import type { EffectGuard } from "../engine/ports.js";
import type { PlannedCase } from "../plan/run-plan.js";
import type { Redactor } from "../redaction/redactor.js";
import type { RunnableTool } from "../tools/tool-config.js";
import type { HandlerOutcome, ToolHandler } from "../tools/tool-handler.js";
import type { Clock } from "../values/clock.js";
import type { JournalRecord, TrialIdentity } from "./journal-record.js";
import { callKey, type BegunCall, type UnfinishedCalls } from "./unfinished-calls.js";

export interface EffectGuardPorts {
  clock: Clock;
  redactor: Redactor;
  /** Null when the run begins. */
  unfinished: UnfinishedCalls | null;
  identify(planned: PlannedCase): TrialIdentity;
  /** Resolves when the record is on the disk, or can not be. */
  write(record: JournalRecord): Promise<unknown>;
}

const sealed: HandlerOutcome = {
  ok: false,
  failure: {
    errorType: "aborted",
    message:
      "The run was cut off during this call. Whether it took effect is not known, and it was not made a second time.",
    retryable: false,
  },
};

/**
 * Notes each call of a tool with effects before it is made. In a trial that was cut off, a call that had its answer gets
 * the same one again; one that had none is sealed: it is answered with an error and not made again.
 */
export function createEffectGuard(ports: EffectGuardPorts): EffectGuard {
  const { clock, redactor, unfinished, identify, write } = ports;

  const guardTrial = (planned: PlannedCase, trial: number): ((tool: string, handler: ToolHandler) => ToolHandler) => {
    const identity = identify(planned);
    const begun = unfinished?.of(redactor.redact(planned.id), trial) ?? new Map<string, BegunCall>();
    const made = new Map<string, number>();
    return (tool, handler) => ({
      ...handler,
      async execute(args, context) {
        const written = asWritten(args, redactor);
        const call = callKey(tool, written, 0);
        const occurrence = (made.get(call) ?? 0) + 1;
        made.set(call, occurrence);
        const before = begun.get(callKey(tool, written, occurrence));
        if (before !== undefined && isSame(before, identity)) {
          context.audit.resumed = before.outcome === undefined ? "sealed" : "answered_before";
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is what the handler gave before
          return before.outcome === undefined ? sealed : (before.outcome as HandlerOutcome);
        }
        const place = { caseId: planned.id, trial, occurrence, tool, args };
        await write({ kind: "intent", at: clock.now(), identity, ...place });
        const outcome = await handler.execute(args, context);
        void write({ kind: "outcome", at: clock.now(), ...place, outcome });
        return outcome;
      },
    });
  };

  return {
    guard(tools, planned, trial) {
      if (!tools.some(hasEffects)) return tools;
      const wrap = guardTrial(planned, trial);
      return tools.map((tool) =>
        hasEffects(tool) ? { ...tool, createHandler: (scope) => wrap(tool.name, tool.createHandler(scope)) } : tool,
      );
    },
  };
}

/** What a simulated tool changes is the trial's own, and gone with it. */
function hasEffects(tool: RunnableTool): tool is Exclude<RunnableTool, { kind: "simulated" }> {
  return tool.kind !== "simulated" && !tool.attributes.no_effect;
}

/** Another prompt or another setup makes another conversation, whose calls only look like those of the first. */
function isSame({ agentHash, setupHash }: BegunCall, identity: TrialIdentity): boolean {
  return agentHash === identity.agentHash && setupHash === identity.setupHash;
}

/** The arguments as the journal has them. */
function asWritten(args: unknown, { redactJson }: Redactor): unknown {
  return args === undefined ? null : JSON.parse(redactJson(JSON.stringify(args)));
}
