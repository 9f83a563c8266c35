import { isList, isRecord, textOf, type JsonValue } from "../values/json.js";
import type { Meaning } from "./meaning.js";
import { nested } from "./read-gen-ai.js";
import { contentOf, type SpanReader } from "./span-reader.js";

const others = new Set(["CHAIN", "RETRIEVER", "RERANKER", "EMBEDDING", "GUARDRAIL", "EVALUATOR", "PROMPT", "UNKNOWN"]);

const recordContent = "Unset OPENINFERENCE_HIDE_INPUTS and OPENINFERENCE_HIDE_OUTPUTS where the agent runs";
/** What the exporter puts in the place of what is hidden. */
const hidden = "__REDACTED__";

/** Spans of OpenInference. */
export function readOpenInference(reader: SpanReader): Meaning | null {
  const kind = reader.text("openinference.span.kind");
  switch (kind) {
    case null:
      return null;
    case "LLM":
      return readModelCall(reader);
    case "TOOL":
      return readTool(reader);
    case "AGENT": {
      const agent = reader.text("agent.name", "graph.node.id");
      return agent === null ? { kind: "other" } : { kind: "agent", agent };
    }
    default:
      if (!others.has(kind)) {
        reader.report(
          `openinference.span.kind is ${JSON.stringify(kind)}, which is not known and could be a tool call`,
        );
      }
      return { kind: "other" };
  }
}

function readModelCall(reader: SpanReader): Meaning {
  const lists = ["llm.input_messages", "llm.output_messages"].map((name) => nested(reader.attributes, name));
  const [input = [], output = []] = lists;
  const isHidden = [...reader.attributes.values()].includes(hidden);
  if (isHidden) reader.reportNoContent(recordContent);
  else if ((output.length === 0 || reader.span.dropped > 0) && reader.span.error === null) {
    reader.reportNoContent(recordContent);
  }
  const messages = isHidden ? [] : withIds(input.map(messageOf));
  return {
    kind: "model",
    input: reader.messages(messages, "llm.input_messages"),
    output: reader.messages(isHidden ? [] : output.map(messageOf), "llm.output_messages"),
    model: reader.text("llm.model_name"),
    finishReason: reader.text("llm.finish_reason"),
    usage: reader.usage(
      ["llm.token_count.prompt"],
      ["llm.token_count.completion"],
      ["llm.token_count.prompt_details.cache_read"],
    ),
    costUsd: reader.count("llm.cost.total") ?? null,
    agent: nodeOf(reader),
  };
}

/** What LangGraph calls the part of a graph; the others have spans of their agents. */
function nodeOf(reader: SpanReader): string | null {
  const metadata = reader.data("metadata");
  if (!isRecord(metadata)) return null;
  const node = textOf(metadata["langgraph_node"]);
  // An agent in a graph is a node whose own graph has nodes, and those have the same names in all agents.
  const around = textOf(metadata["langgraph_checkpoint_ns"]).split("|").at(-2)?.split(":")[0] ?? "";
  return textOf(metadata["lc_agent_name"]) || (innerNodes.has(node) ? around : "") || node || null;
}

const innerNodes: ReadonlySet<string> = new Set(["agent", "call_model", "model", "model_request", "tools"]);

function readTool(reader: SpanReader): Meaning {
  const tool = reader.text("tool.name") ?? reader.span.name;
  const given = reader.data("input.value");
  // The instrumentation of OpenAI's Agents SDK has a hand-off as a tool, next to the one that the model called.
  if (/^handoff(?:_to_|$)/.test(tool) && (!isRecord(given) || given["from_agent"] !== undefined)) {
    return { kind: "handoff" };
  }
  const output = reader.data("output.value");
  return {
    kind: "tool",
    tool,
    callId:
      reader.text("tool_call.id", "tool.id") ?? (isRecord(output) ? textOf(output["tool_call_id"]) || null : null),
    args: reader.data("tool.parameters") ?? given,
    content: contentOf(returnedBy(output)),
    agent: nodeOf(reader),
  };
}

/** LangChain returns a message, written out with its class. */
function returnedBy(output: unknown): unknown {
  if (!isRecord(output)) return output;
  const message = isRecord(output["output"]) ? output["output"] : output;
  const own = isRecord(message["kwargs"]) && message["lc"] === 1 ? message["kwargs"] : message;
  return own === output || own["content"] === undefined ? output : own["content"];
}

type Written = Record<string, unknown>;

function messageOf(written: JsonValue): Written {
  const message: Written = isRecord(written) ? written : {};
  const contents = message["message.contents"];
  const content = isList(contents) ? contents.map(partOf) : (message["message.content"] ?? "");
  const calls = message["message.tool_calls"];
  const id = message["message.tool_call_id"];
  const name = message["message.name"];
  const role = textOf(message["message.role"]) || "assistant";
  return {
    role,
    content,
    ...(isList(calls) ? { tool_calls: calls.map(callOf) } : {}),
    ...(typeof id === "string" ? { tool_call_id: id } : {}),
    ...(typeof name === "string" && role === "tool" ? { name } : {}),
  };
}

function partOf(part: unknown): unknown {
  if (!isRecord(part)) return part;
  const text = part["message_content.text"];
  return typeof text === "string" ? { type: "text", text } : { type: "file" };
}

function callOf(call: unknown): unknown {
  if (!isRecord(call)) return call;
  return {
    id: textOf(call["tool_call.id"]),
    type: "function",
    function: {
      name: call["tool_call.function.name"],
      arguments: call["tool_call.function.arguments"] ?? "{}",
    },
  };
}

/** LangChain's instrumentation leaves out the ids of calls and results: results follow in the order of their calls. */
function withIds(messages: readonly Written[]): readonly Written[] {
  const waiting: { id: string; name: unknown }[] = [];
  const known = new Set<unknown>();
  let unnamed = 0;
  const named = (call: unknown): unknown => {
    if (!isRecord(call)) return call;
    const id = textOf(call["id"]);
    known.add(id);
    if (id !== "") return call;
    unnamed += 1;
    const own = `unnamed_${unnamed}`;
    waiting.push({ id: own, name: isRecord(call["function"]) ? call["function"]["name"] : null });
    return { ...call, id: own };
  };
  return messages.map((message) => {
    const { tool_calls: calls, tool_call_id: id, name, role } = message;
    if (isList(calls)) return { ...message, tool_calls: calls.map(named) };
    if (role !== "tool" || (id !== undefined && known.has(id))) return message;
    const at = waiting.findIndex((call) => name === undefined || call.name === name);
    const [answered] = waiting.splice(Math.max(0, at), 1);
    return answered === undefined ? message : { ...message, tool_call_id: answered.id };
  });
}
