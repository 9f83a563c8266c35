import { isRecord } from "../values/json.js";
import { parseJson } from "../values/parse-json.js";
import type { Meaning } from "./meaning.js";
import { contentOf, type SpanReader } from "./span-reader.js";

const recordContent = "Set recordInputs and recordOutputs of experimental_telemetry to true, or leave them out";

/** Spans of the telemetry of the Vercel AI SDK. */
export function readAiSdk(reader: SpanReader): Meaning | null {
  const operation = reader.text("ai.operationId");
  if (operation === null) return null;
  if (/\.do(?:Generate|Stream)$/.test(operation)) return readModelCall(reader);
  if (operation === "ai.toolCall") return readTool(reader);
  const agent = reader.text("ai.telemetry.functionId");
  return agent === null || /embed|rerank/.test(operation) ? { kind: "other" } : { kind: "agent", agent };
}

function readTool(reader: SpanReader): Meaning {
  const tool = reader.text("ai.toolCall.name");
  if (tool === null) {
    reader.report("it runs a tool, and ai.toolCall.name is missing");
    return { kind: "other" };
  }
  return {
    kind: "tool",
    tool,
    callId: reader.text("ai.toolCall.id"),
    args: reader.data("ai.toolCall.args"),
    content: contentOf(reader.attributes.get("ai.toolCall.result")),
    agent: null,
  };
}

function readModelCall(reader: SpanReader): Meaning {
  const text = reader.text("ai.response.text", "ai.response.object");
  const calls = reader.list("ai.response.toolCalls");
  const prompt = reader.list("ai.prompt.messages");
  const isSilent = reader.problems.length === 0 && reader.span.error === null;
  if (isSilent && (prompt === null || (text === null && calls === null))) reader.reportNoContent(recordContent);
  const content = [
    ...(text === null ? [] : [{ type: "text", text }]),
    ...(calls ?? []).map((call) => (isRecord(call) ? { ...withInput(call), type: "tool-call" } : call)),
  ];
  const isAnswered = text !== null || calls !== null;
  return {
    kind: "model",
    input: reader.messages(prompt ?? [], "ai.prompt.messages"),
    output: isAnswered ? reader.messages([{ role: "assistant", content }], "ai.response") : [],
    model: reader.text("ai.response.model", "gen_ai.response.model", "ai.model.id"),
    finishReason: reader.text("ai.response.finishReason"),
    usage: reader.usage(
      ["ai.usage.inputTokens", "ai.usage.promptTokens", "gen_ai.usage.input_tokens"],
      ["ai.usage.outputTokens", "ai.usage.completionTokens", "gen_ai.usage.output_tokens"],
      ["ai.usage.cachedInputTokens"],
    ),
    costUsd: null,
    agent: null,
  };
}

/** Arguments are JSON text in the answer, and data in the prompt of the next step. */
function withInput({ type: _type, ...call }: Record<string, unknown>): Record<string, unknown> {
  const { input } = call;
  if (typeof input !== "string") return call;
  const parsed = parseJson(input);
  return parsed.success ? { ...call, input: parsed.data } : call;
}
