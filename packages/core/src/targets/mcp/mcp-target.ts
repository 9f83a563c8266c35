import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import { recordedName, type DirectCall } from "../../tools/mcp/direct-call.js";
import { renderTemplate } from "../../values/template.js";
import { defineTarget, type TargetOpening } from "../define-target.js";
import { createHalt, ProgramSession, recorderOf, type ProgramExchange } from "../program/program-session.js";
import type { Recorder } from "../program/recorder.js";
import { targetError } from "../program/target-error.js";
import { mcpTargetSchema, type McpTargetConfig } from "./mcp-target-schema.js";
import { renderResult } from "../../transcript/render-mcp-result.js";

/** A server of the Model Context Protocol that is called without a model. Its tools are opened with those of the trial. */
export const mcpTarget = defineTarget<McpTargetConfig>({
  kind: "mcp",
  key: "mcp",
  schema: mcpTargetSchema,
  placeholders: ["input"],
  input: "optional",
  files: () => [],
  resolvePaths: (config) => config,
  refuses: (_config, { hasHistory, hasImages, endsWithUser }) =>
    hasHistory || hasImages || !endsWithUser ? "An MCP target has no conversation: it is called once" : null,
  async open(config, opening) {
    const halt = createHalt();
    const recorder = recorderOf(opening, halt);
    return success(new ProgramSession(opening, recorder, halt, createMcpExchange(config, opening, recorder)));
  },
});

function createMcpExchange(config: McpTargetConfig, opening: TargetOpening, recorder: Recorder): ProgramExchange {
  return {
    async ask({ message, text: input }, signal) {
      const values = message === null ? opening.scope : { ...opening.scope, input };
      for (const call of config.before) {
        const made = await makeCall(call, values, recorder, signal);
        if (!made.success) return made;
        const { outcome } = made.data;
        if (outcome.ok) continue;
        const why = `The call of ${recordedName(call)} before the test failed: ${outcome.failure.message}`;
        return failure(targetError("unexpected", why));
      }
      const made = await makeCall(config.call, values, recorder, signal);
      if (!made.success) return made;
      const { outcome, durationMs: latencyMs } = made.data;
      const text = outcome.ok ? renderResult(outcome.value) : outcome.failure.message;
      return success({ text, latencyMs, usage: null, costUsd: 0, model: null, finishReason: "stop" });
    },
    restart: async () => {},
    close: async () => {},
    stderr: () => "",
  };
}

async function makeCall(
  call: DirectCall,
  values: TargetOpening["scope"],
  recorder: Recorder,
  signal: AbortSignal,
): Promise<Result<Awaited<ReturnType<Recorder["invoke"]>>>> {
  const rendered = renderTemplate(argsOf(call), { values });
  if (!rendered.success) {
    const [problem] = rendered.error;
    const message = `Unknown placeholder {{${problem?.name ?? ""}}} in the target`;
    return failure(kindlmError("CONFIG_VALIDATION_ERROR", message));
  }
  const tool = recordedName(call);
  const { turns, toolCalls } = recorder.transcript;
  const id = `call_${toolCalls.length + 1}`;
  recorder.addAnswer("", [{ id, tool, args: rendered.data }], turns.length + 1);
  const invocation = await recorder.invoke(tool, rendered.data, signal);
  recorder.addResult(id, invocation.content);
  return success(invocation);
}

/** The arguments under which a call is recorded. */
function argsOf(call: DirectCall): Record<string, unknown> {
  switch (call.kind) {
    case "tool":
      return call.args;
    case "resource":
      return { uri: call.uri };
    case "prompt":
      return { name: call.name, arguments: call.args };
    case "list":
      return {};
  }
}
