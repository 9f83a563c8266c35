import { attempt } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { matchesNameGlob } from "../../values/name-glob.js";
import { renderAnswer } from "../render-answer.js";
import {
  interrupted,
  type AnswerScope,
  type HandlerContext,
  type HandlerOutcome,
  type ToolHandler,
} from "../tool-handler.js";
import { untilAborted } from "../until-aborted.js";
import type { ToolFault } from "./tool-fault.js";
import { editWorkspace, type EditableFiles } from "./external-edit.js";
import type { FaultReport } from "./fault-report.js";
import { reportOf, startProgress, takeDue, type FaultProgress } from "./fault-progress.js";
import type { Fault } from "./fault.js";
import { isToolFault } from "./model-faults.js";
import { corruptResult } from "./corrupt-result.js";
import { injectInto } from "./inject/inject-effect.js";
import { InjectionWatch } from "./inject/injection-watch.js";

/** Puts the faults of one trial between the runtime and the tools. */
export interface FaultInjector {
  /** The handler of a tool with the faults in front of it; the handler itself where no fault names the tool. */
  wrap(tool: string, handler: ToolHandler): ToolHandler;
  reports(): readonly FaultReport[];
  /** Where the hostile text of a fault is; null without such a fault. */
  readonly injections: InjectionWatch | null;
}

/** `seed` is that of run, case and trial; each fault draws from its own source. */
export function createFaultInjector(
  faults: readonly Fault[],
  seed: number,
  scope: AnswerScope,
  workspace: EditableFiles | null = null,
): FaultInjector {
  const all = faults.filter(isToolFault).map((fault) => startProgress(fault, seed));
  const injections = all.some(({ fault: { effect } }) => effect.kind === "inject") ? new InjectionWatch() : null;
  return {
    injections,
    wrap(tool, handler) {
      const own = all.filter(({ fault }) => matchesNameGlob(fault.tool, tool));
      if (own.length === 0) return handler;
      return {
        ...handler,
        execute: (args, context) => {
          const due = takeDue(own);
          if (due === null) return handler.execute(args, context);
          return strike(
            due,
            { tool, args, scope, workspace, injections },
            () => handler.execute(args, context),
            context,
          );
        },
      };
    },
    reports: () => all.map((one) => reportOf(one, one.fault.effect.kind, { tool: one.fault.tool })),
  };
}

interface StruckCall {
  tool: string;
  args: unknown;
  scope: AnswerScope;
  workspace: EditableFiles | null;
  injections: InjectionWatch | null;
}

async function strike(
  progress: FaultProgress<ToolFault>,
  { tool, args, scope, workspace, injections }: StruckCall,
  run: () => Promise<HandlerOutcome>,
  context: HandlerContext,
): Promise<HandlerOutcome> {
  const { fault, calls } = progress;
  const { effect } = fault;
  const fire = (returned?: unknown): void => {
    progress.fired += 1;
    context.audit.fault = { id: fault.id, kind: effect.kind, ...(returned === undefined ? {} : { returned }) };
  };
  switch (effect.kind) {
    case "error":
      fire();
      return renderAnswer(tool, { error: effect.error }, { ...scope, args: args ?? {}, state: context.state.values });
    case "hang":
      fire();
      await untilAborted(context.signal);
      return interrupted;
    case "latency":
      fire();
      await context.clock.sleep(effect.delayMs, context.signal);
      return context.signal.aborted ? interrupted : run();
    case "external_edit": {
      const edited = await editWorkspace(effect, args, workspace);
      if (edited.success) fire();
      else progress.missed = `on call ${calls}, ${edited.error}`;
      return run();
    }
    case "duplicate": {
      progress.missed = `the first run of call ${calls} did not come to an end`;
      const first = await attempt(run, (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }));
      if (context.signal.aborted) return interrupted;
      if (first.success && "broken" in first.data) return first.data;
      fire(first.success ? answerOf(first.data) : first.error.message);
      return run();
    }
    default: {
      progress.missed = `the tool failed by itself on call ${calls}`;
      const answered = await run();
      if (!answered.ok) return answered;
      const values = { ...scope, args: args ?? {}, state: context.state.values };
      const changed =
        effect.kind === "inject"
          ? injectInto(effect, answered.value, values)
          : corruptResult(effect, answered.value, progress.random);
      if (!changed.success) {
        progress.missed = `the answer of call ${calls} ${changed.error}`;
        return answered;
      }
      fire(answered.value ?? null);
      const { value, hostile } = changed.data;
      if (hostile !== undefined) injections?.place(fault.id, hostile);
      return { ok: true, value };
    }
  }
}

function answerOf(outcome: HandlerOutcome): unknown {
  return outcome.ok ? (outcome.value ?? null) : outcome.failure;
}
