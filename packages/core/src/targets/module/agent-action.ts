import { moduleAction } from "../../modules/module-action.js";
import type { AgentGateway } from "../gateway/create-gateway-server.js";
import type { AgentContext } from "./define-agent.js";

/** One message to an agent, with what of its context is data. */
export interface AgentInput extends Omit<AgentContext, "state" | "tools" | "signal"> {
  input: string;
  /** Names the conversation, whose `state` the worker keeps. */
  conversation: string;
  /** Whether it has started, so the worker must know it. */
  hasBegun: boolean;
  definitions: AgentContext["tools"]["definitions"];
}

/** Where the clients of an agent find its models; null if its requests do not go through KindLM. */
export function clientsOf(
  gateway: Pick<AgentGateway, "url" | "token"> | null,
): Pick<AgentInput, "openai" | "anthropic" | "gemini"> {
  if (gateway === null) return { openai: null, anthropic: null, gemini: null };
  const { url, token: apiKey } = gateway;
  return {
    openai: { baseURL: `${url}/v1`, apiKey },
    anthropic: { baseURL: url, apiKey },
    gemini: { baseUrl: url, apiKey },
  };
}

/** What an agent asks while it answers. */
export interface AgentToolCall {
  tool: string;
  /** Absent if they are beyond a limit: they could not be sent. */
  args?: unknown;
  /** What is wrong with the arguments, completing "They are …"; absent if nothing is. */
  limit?: string;
}

/** Calls an agent. The outcome is what it returned, unread. */
export const agentAction = moduleAction<AgentInput, unknown>("run agent");

/** Forgets the conversation of this name. */
export const forgetAgentAction = moduleAction<{ conversation: string }, null>("forget agent");
