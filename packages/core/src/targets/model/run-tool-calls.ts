import { auditRecord } from "../../tools/audit-record.js";
import type { ToolInvocation, ToolRuntime } from "../../tools/tool-runtime.js";
import type { RequestedToolCall, ToolMessage } from "../../transcript/message.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { SessionListener } from "../target.js";

export interface FinishedToolCall {
  message: ToolMessage;
  record: TrialToolCall;
  isFixtureBroken: boolean;
}

/** Runs the calls of one turn: neighbours without effect side by side, all others one after the other. */
export async function runToolCalls(
  calls: readonly RequestedToolCall[],
  tools: ToolRuntime,
  listener: SessionListener,
  signal: AbortSignal,
): Promise<readonly FinishedToolCall[]> {
  const invoke = async (call: RequestedToolCall): Promise<FinishedToolCall> => {
    listener.toolStarted(call);
    const invocation = await tools.invoke(call, { signal });
    listener.toolEnded(invocation);
    return toFinished(invocation);
  };
  const finished: FinishedToolCall[] = [];
  for (let start = 0; start < calls.length;) {
    let end = start + 1;
    const first = calls[start];
    if (first !== undefined && tools.mayRunInParallel(first)) {
      while (end < calls.length && mayJoin(calls[end], tools)) end += 1;
    }
    // oxlint-disable-next-line no-await-in-loop -- effects must happen in the order the agent asked for
    finished.push(...(await Promise.all(calls.slice(start, end).map(invoke))));
    start = end;
  }
  return finished;
}

function mayJoin(call: RequestedToolCall | undefined, tools: ToolRuntime): boolean {
  return call !== undefined && tools.mayRunInParallel(call);
}

function toFinished(invocation: ToolInvocation): FinishedToolCall {
  const { call, outcome, content, isFixtureBroken } = invocation;
  return {
    message: { role: "tool", callId: call.id, tool: call.tool, content, isError: !outcome.ok },
    record: auditRecord(invocation),
    isFixtureBroken,
  };
}
