import type { ModelParams, ToolDefinition } from "../../providers/provider.js";
import type { ImageSource, Message } from "../../transcript/message.js";

/** A request of an agent, in no provider's format. */
export interface AgentRequest {
  system: string | null;
  messages: readonly Message[];
  tools: readonly ToolDefinition[];
  /** What the agent asks for itself. */
  params: ModelParams;
}

/** The names of tools, where an agent knows them under others than the test does. */
export interface ToolNames {
  /** The name in the test. */
  ownOf(name: string): string;
  /** The name that the agent knows. */
  agentsOf(name: string): string;
  toOwn(request: AgentRequest): AgentRequest;
}

/** An image from its address, which may hold the data. */
export function toImageSource(url: string): ImageSource {
  const data = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  if (data?.[1] === undefined || data[2] === undefined) return { kind: "url", url };
  return { kind: "base64", mediaType: data[1], data: data[2] };
}
