import type { ToolDefinition } from "../../providers/provider.js";
import { kindlmVersion } from "../../version.js";
import { isRecord, textOf } from "../../values/json.js";
import { describeJsonProblem, parseJson } from "../../values/parse-json.js";
import type { Recorder } from "../program/recorder.js";
import type { AgentRequest, ToolNames } from "./agent-request.js";
import { openaiError } from "./dialects/openai-words.js";
import { jsonReply, type GatewayReply, type GatewayRequest } from "./gateway-request.js";

/** The name of the server. It says nothing of a test, since the model reads it. */
export const mcpServerName = "tools";

/** Gives the tools of the server the names that they have in the test, wherever the agent is not looking. */
export class McpToolNames implements ToolNames {
  readonly #prefix: string;
  readonly #served: ReadonlySet<string>;

  /** `prefix`: what the agent puts before the names. */
  constructor(prefix: string, served: Iterable<string>) {
    this.#prefix = prefix;
    this.#served = new Set(served);
  }

  ownOf(name: string): string {
    return name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : name;
  }

  agentsOf(name: string): string {
    // Agents take calls of tools that they have not shown to the model yet.
    return this.#served.has(name) ? `${this.#prefix}${name}` : name;
  }

  toOwn(request: AgentRequest): AgentRequest {
    return {
      ...request,
      tools: request.tools.map((tool) => ({ ...tool, name: this.ownOf(tool.name) })),
      messages: request.messages.map((message) => {
        if (message.role === "tool") return { ...message, tool: this.ownOf(message.tool) };
        if (message.role !== "assistant") return message;
        return { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, tool: this.ownOf(call.tool) })) };
      }),
    };
  }
}

/** What the server understands, the newest first. */
const versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const methodNotFound = -32_601;

/**
 * Tools of the test as an MCP server (Streamable HTTP without sessions, each answer a JSON body:
 * https://modelcontextprotocol.io/specification/2025-06-18/basic/transports). Null if the request is for something else.
 */
export async function serveMcp(
  request: GatewayRequest,
  definitions: readonly ToolDefinition[],
  recorder: Recorder,
): Promise<GatewayReply | null> {
  const { method, path, body, signal } = request;
  if (path !== "/mcp") return null;
  if (method !== "POST") return openaiError(405, "method_not_allowed", "Send messages with POST");
  const parsed = parseJson(body);
  if (!parsed.success) return openaiError(400, "invalid_json", `The body is ${describeJsonProblem(parsed.error)}`);
  const message = isRecord(parsed.data) ? parsed.data : {};
  const { id } = message;
  // Notifications and answers get none.
  if (id === undefined || typeof message["method"] !== "string") return { status: 202, body: "" };
  const result = await answer(message["method"], isRecord(message["params"]) ? message["params"] : {});
  const error = { code: methodNotFound, message: `There is no method ${message["method"]}` };
  return jsonReply(200, { jsonrpc: "2.0", id, ...(result === null ? { error } : { result }) });

  /** Null for a method that the server does not have. */
  async function answer(name: string, params: Readonly<Record<string, unknown>>): Promise<object | null> {
    switch (name) {
      case "initialize": {
        const asked = versions.find((version) => version === params["protocolVersion"]);
        const serverInfo = { name: mcpServerName, version: kindlmVersion };
        return { protocolVersion: asked ?? versions[0], capabilities: { tools: {} }, serverInfo };
      }
      case "ping":
        return {};
      case "tools/list":
        return {
          tools: definitions.map(({ parameters, strict: _strict, ...tool }) => ({ ...tool, inputSchema: parameters })),
        };
      case "tools/call": {
        const { outcome, content } = await recorder.invoke(textOf(params["name"]), params["arguments"] ?? {}, signal);
        return { content: [{ type: "text", text: content }], isError: !outcome.ok };
      }
      default:
        return null;
    }
  }
}
