import type { KindlmError } from "../../errors/kindlm-error.js";
import { auditRecord } from "../../tools/audit-record.js";
import { runInOrder } from "../../tools/run-in-order.js";
import type { ToolInvocation, ToolRuntime } from "../../tools/tool-runtime.js";
import type { RequestedToolCall, ToolMessage } from "../../transcript/message.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { SessionListener } from "../target.js";

export interface FinishedToolCall {
  message: ToolMessage;
  record: TrialToolCall;
  isFixtureBroken: boolean;
  brokenBy?: KindlmError;
}

/** Runs the calls that one answer of the model asked for. */
export function runToolCalls(
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
  return runInOrder(calls, (call) => tools.mayRunInParallel(call), invoke);
}

function toFinished(invocation: ToolInvocation): FinishedToolCall {
  const { call, outcome, content, isFixtureBroken, brokenBy } = invocation;
  return {
    message: { role: "tool", callId: call.id, tool: call.tool, content, isError: !outcome.ok },
    record: auditRecord(invocation),
    isFixtureBroken,
    ...(brokenBy === undefined ? {} : { brokenBy }),
  };
}
