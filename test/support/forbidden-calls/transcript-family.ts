import { deriveTrial } from "../../../packages/core/src/transcript-import/derive-trial.js";
import { parseTranscriptLine } from "../../../packages/core/src/transcript-import/parse-transcript-line.js";
import type { NeutralAnswer } from "../fake-models/fake-model.js";
import type { AdapterFamily } from "./adapter-family.js";
import { erroredVerdicts, verdictsOn } from "./planted-call.js";
import type { Json } from "./wire.js";

type Calls = readonly { id: string; tool: string; args: unknown }[];
/** The message in which the model says this, as a library or a provider keeps it. */
type Form = (text: string, calls: Calls) => readonly Json[];

const chatCall = ({ id, tool, args }: Calls[number]): Json => ({
  id,
  type: "function",
  function: { name: tool, arguments: JSON.stringify(args) },
});

const forms: Readonly<Record<string, Form>> = {
  "chat completions": (content, calls) => [{ role: "assistant", content, tool_calls: calls.map(chatCall) }],
  Anthropic: (text, calls) => [
    {
      role: "assistant",
      content: [
        { type: "text", text },
        ...calls.map(({ id, tool, args }) => ({ type: "tool_use", id, name: tool, input: args })),
      ],
    },
  ],
  Responses: (text, calls) => [
    { type: "message", role: "assistant", content: [{ type: "output_text", text }] },
    ...calls.map(({ id, tool, args }) => ({
      type: "function_call",
      call_id: id,
      name: tool,
      arguments: JSON.stringify(args),
    })),
  ],
  Bedrock: (text, calls) => [
    {
      role: "assistant",
      content: [
        { text },
        ...calls.map(({ id, tool, args }) => ({ toolUse: { toolUseId: id, name: tool, input: args } })),
      ],
    },
  ],
  Gemini: (text, calls) => [
    { role: "model", parts: [{ text }, ...calls.map(({ tool, args }) => ({ functionCall: { name: tool, args } }))] },
  ],
  "AI SDK": (text, calls) => [
    {
      role: "assistant",
      content: [
        { type: "text", text },
        ...calls.map(({ id, tool, args }) => ({ type: "tool-call", toolCallId: id, toolName: tool, input: args })),
      ],
    },
  ],
  "AI SDK for a screen": (text, calls) => [
    {
      role: "assistant",
      parts: [
        ...calls.map(({ id, tool, args }) => ({
          type: "dynamic-tool",
          toolName: tool,
          toolCallId: id,
          state: "input-available",
          input: args,
        })),
        { type: "text", text },
      ],
    },
  ],
  LangChain: (content, calls) => [
    {
      type: "ai",
      content,
      tool_calls: [],
      invalid_tool_calls: [],
      additional_kwargs: { tool_calls: calls.map(chatCall) },
      response_metadata: { model: "m" },
    },
  ],
  KindLM: (text, calls) => [
    { role: "assistant", text, toolCalls: calls.map(({ id, tool, args }) => ({ id, tool, args })) },
  ],
};

export const transcriptForms = Object.keys(forms);

/** Lines of `kindlm score`, each with a conversation in one form. */
export function createTranscriptFamily(name: string): AdapterFamily {
  const form = forms[name];
  if (form === undefined) throw new Error(`no form ${name}`);
  return {
    name,
    replyOf({ text, toolCalls }: NeutralAnswer) {
      const calls = toolCalls.map((call, index) => ({ id: `call_${index}`, ...call }));
      const last = form("All is done.", []).map((message) => withoutEmpty(message));
      const messages = [{ role: "user", content: "Hello" }, ...form(text, calls), ...last];
      return { framing: "json", messages: [{ name: null, data: { test: "s/t", model: "m", messages } }] };
    },
    async judge(chunks) {
      const line = Buffer.concat(chunks)
        .toString("utf8")
        .replace(/^\uFEFF/, "");
      const parsed = parseTranscriptLine(line);
      if (!parsed.success) return { ...erroredVerdicts, error: parsed.error.map(({ message }) => message).join("; ") };
      const { told, messages } = parsed.data;
      const trial = { ...(messages === null ? {} : deriveTrial(messages)), ...told };
      return { ...(await verdictsOn(trial)), error: null };
    },
  };
}

function withoutEmpty(message: Json): Json {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => !Array.isArray(value) || value.length > 0));
}
