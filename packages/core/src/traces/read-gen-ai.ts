import { isList, isRecord, textOf, type JsonValue } from "../values/json.js";
import { wordSet } from "../values/word-set.js";
import type { Meaning } from "./meaning.js";
import type { Attributes } from "./span.js";
import { contentOf, type SpanReader } from "./span-reader.js";

const requests = new Set(["chat", "text_completion", "generate_content", "completion"]);
const agents = new Set(["invoke_agent", "create_agent"]);
/** What cannot be a tool call or an answer; the requests of a plan have other spans. */
const others = wordSet(`
  embeddings retrieval rerank retriever invoke_workflow plan chain prompt create_memory_store delete_memory_store
  create_memory update_memory upsert_memory search_memory delete_memory
`);

const recordContent =
  "Set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only (or true in older versions) where the agent runs";

/** Spans of the semantic conventions of OpenTelemetry for generative AI, the versions before the current one included. */
export function readGenAi(reader: SpanReader): Meaning | null {
  const operation = reader.text("gen_ai.operation.name") ?? operationOf(reader);
  if (operation === null) return null;
  const agent = reader.text("gen_ai.agent.name");
  if (requests.has(operation)) return readModelCall(reader, agent);
  if (operation === "execute_tool") return readTool(reader, agent);
  if (agents.has(operation)) {
    return agent === null || operation === "create_agent" ? { kind: "other" } : { kind: "agent", agent };
  }
  if (!others.has(operation)) {
    reader.report(
      `gen_ai.operation.name is ${JSON.stringify(operation)}, which is not known and could be a tool call`,
      "Name the operation as the semantic conventions do, such as chat or execute_tool",
    );
  }
  return { kind: "other" };
}

/** Instrumentations of the first versions have no operation. */
function operationOf(reader: SpanReader): string | null {
  if (reader.text("gen_ai.tool.name") !== null) return "execute_tool";
  const isRequest = reader.text("gen_ai.request.model", "gen_ai.response.model") !== null;
  return isRequest || reader.text("llm.request.type") !== null ? "chat" : null;
}

function readTool(reader: SpanReader, agent: string | null): Meaning {
  const tool = reader.text("gen_ai.tool.name");
  if (tool === null) {
    reader.report("it runs a tool, and gen_ai.tool.name is missing");
    return { kind: "other" };
  }
  return {
    kind: "tool",
    tool,
    callId: reader.text("gen_ai.tool.call.id"),
    args: reader.data("gen_ai.tool.call.arguments"),
    content: contentOf(reader.attributes.get("gen_ai.tool.call.result")),
    agent,
  };
}

function readModelCall(reader: SpanReader, agent: string | null): Meaning {
  const said = contentOfAttributes(reader) ?? contentOfEvents(reader) ?? numbered(reader);
  if (said === null && reader.span.error === null) reader.reportNoContent(recordContent);
  const reasons = reader.attributes.get("gen_ai.response.finish_reasons");
  const written = isList(reasons) ? textOf(reasons[0]) : textOf(reasons);
  return {
    kind: "model",
    input: reader.messages((said?.input ?? []).flatMap(withParts), "gen_ai.input.messages"),
    output: reader.messages((said?.output ?? []).flatMap(withParts), "gen_ai.output.messages"),
    model: reader.text("gen_ai.response.model", "gen_ai.request.model"),
    finishReason: written || said?.finishReason || null,
    usage: reader.usage(
      ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"],
      ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"],
      ["gen_ai.usage.cache_read.input_tokens"],
    ),
    costUsd: reader.count("gen_ai.usage.cost") ?? null,
    agent,
  };
}

interface Said {
  input: readonly unknown[];
  output: readonly unknown[];
  finishReason?: string;
}

const details = "gen_ai.client.inference.operation.details";

/** The current form: the whole history as attributes of the span, or of an event. */
function contentOfAttributes(reader: SpanReader): Said | null {
  const event = reader.span.events.find(({ name }) => name === details);
  for (const attributes of [reader.attributes, event?.attributes]) {
    if (attributes === undefined) continue;
    const input = reader.list("gen_ai.input.messages", attributes);
    const output = reader.list("gen_ai.output.messages", attributes);
    if (input === null && output === null) continue;
    const last = output?.at(-1);
    const finishReason = isRecord(last) ? textOf(last["finish_reason"]) : "";
    return { input: input ?? [], output: output ?? [], finishReason };
  }
  return null;
}

/** The two versions before: an event for each message, or one for the prompt and one for the answer. */
function contentOfEvents(reader: SpanReader): Said | null {
  const input: unknown[] = [];
  const output: unknown[] = [];
  let finishReason = "";
  for (const { name, attributes } of reader.span.events) {
    const [, role] = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(name) ?? [];
    if (role !== undefined) input.push(eventMessage(reader, attributes, role));
    if (name === "gen_ai.choice") {
      finishReason = textOf(attributes.get("finish_reason"));
      output.push(eventMessage(reader, attributes, "assistant"));
    }
    if (name === "gen_ai.content.prompt") input.push(...(reader.list("gen_ai.prompt", attributes) ?? []));
    if (name === "gen_ai.content.completion") output.push(...(reader.list("gen_ai.completion", attributes) ?? []));
  }
  return input.length + output.length === 0 ? null : { input, output, finishReason };
}

function eventMessage(reader: SpanReader, attributes: Attributes, role: string): unknown {
  const inner = reader.data("message", attributes);
  const own: Record<string, unknown> = isRecord(inner) ? inner : {};
  const content = reader.data("content", attributes) ?? own["content"] ?? "";
  const calls = reader.list("tool_calls", attributes) ?? own["tool_calls"];
  const id = textOf(attributes.get("id"));
  return {
    role,
    content: typeof content === "string" || isList(content) ? content : JSON.stringify(content),
    ...(isList(calls) ? { tool_calls: calls } : {}),
    ...(role === "tool" && id !== "" ? { tool_call_id: id } : {}),
  };
}

/** `gen_ai.prompt.0.content`, as OpenLLMetry writes it, or all of it as JSON. */
function numbered(reader: SpanReader): Said | null {
  const [input, output] = (["gen_ai.prompt", "gen_ai.completion"] as const).map((prefix) => {
    const whole = reader.data(prefix);
    const list = isRecord(whole) ? whole["messages"] : whole;
    return isList(list) ? list : nested(reader.attributes, prefix).map(numberedMessage);
  });
  if (input === undefined || output === undefined || input.length + output.length === 0) return null;
  const finishReason = reader.text("gen_ai.completion.0.finish_reason") ?? "";
  return { input, output, finishReason };
}

function numberedMessage(message: JsonValue): unknown {
  if (!isRecord(message)) return message;
  const { role = "assistant", content, tool_calls: calls, tool_call_id: id } = message;
  return {
    role,
    content: content ?? "",
    ...(isList(calls) ? { tool_calls: calls } : {}),
    ...(typeof id === "string" ? { tool_call_id: id } : {}),
  };
}

/** A message with parts, in a form that transcripts have: each result is a message. */
function withParts(message: unknown): readonly unknown[] {
  if (!isRecord(message) || !isList(message["parts"])) return [message];
  const { role, parts } = message;
  const results = parts.filter(isResult);
  const rest = parts.filter((part) => !isResult(part));
  const own = { role: role === "tool" ? "user" : role, content: rest.map(partOf) };
  return [
    ...results.map((part) => ({
      role: "tool",
      tool_call_id: textOf(part["id"]),
      content: resultOf(part["response"] ?? part["result"]),
    })),
    ...(rest.length > 0 || results.length === 0 ? [own] : []),
  ];
}

function resultOf(value: unknown): unknown {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

function isResult(part: unknown): part is Record<string, unknown> {
  return isRecord(part) && part["type"] === "tool_call_response";
}

function partOf(part: unknown): unknown {
  if (!isRecord(part)) return part;
  switch (part["type"]) {
    case "text":
      return { type: "text", text: part["content"] };
    case "reasoning":
      return { type: "reasoning" };
    case "blob":
    case "uri":
      return { type: "file" };
    case "server_tool_call":
      return {
        type: "server_tool_use",
        id: textOf(part["id"]),
        name: part["name"],
        input: told(part["server_tool_call"], ["arguments", "input"]),
      };
    case "server_tool_call_response":
      return {
        type: "server_tool_result",
        tool_use_id: textOf(part["id"]),
        content: resultOf(told(part["server_tool_call_response"], ["response", "content", "output"])),
      };
    default:
      return part;
  }
}

/** What a tool of the provider received or returned: providers choose the keys, so without a usual one it is all but the type. */
function told(written: unknown, keys: readonly string[]): unknown {
  if (!isRecord(written)) return written;
  const usual = keys.find((key) => written[key] !== undefined);
  const { type: _type, ...rest } = written;
  return usual === undefined ? rest : written[usual];
}

/** No convention has longer names; each number in one is a level. */
const longestName = 500;

/** Attributes with numbered names under a prefix, as the lists and objects that they are of. */
export function nested(attributes: Attributes, prefix: string): readonly JsonValue[] {
  const items = new Map<string, Map<string, JsonValue>>();
  for (const [key, value] of attributes) {
    if (key.length > longestName || !key.startsWith(`${prefix}.`)) continue;
    const [index = "", ...path] = key.slice(prefix.length + 1).split(".");
    if (!/^\d+$/.test(index)) continue;
    const item = items.get(index) ?? new Map<string, JsonValue>();
    items.set(index, item.set(path.join("."), value));
  }
  return [...items]
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([, item]) => {
      const own: [string, JsonValue][] = [];
      const lists = new Set<string>();
      for (const [key, value] of item) {
        const [, list] = /^(.*?)\.\d+(?:\.|$)/.exec(key) ?? [];
        if (list === undefined) own.push([key, value]);
        else lists.add(list);
      }
      for (const list of lists) own.push([list, [...nested(item, list)]]);
      return Object.fromEntries<JsonValue>(own);
    });
}
