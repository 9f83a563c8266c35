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

/** An image from its address, which may hold the data. */
export function toImageSource(url: string): ImageSource {
  const data = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  if (data?.[1] === undefined || data[2] === undefined) return { kind: "url", url };
  return { kind: "base64", mediaType: data[1], data: data[2] };
}
