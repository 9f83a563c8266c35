import type { Usage } from "../../transcript/usage.js";
import type { ProviderRequest } from "../provider.js";
import type { RenderedReply } from "./render-reply.js";
import type { Reply } from "./script-schema.js";

/** About as many characters as an English token has. */
const charactersPerToken = 4;

/** The usage that the script states, or a rough count: characters sent and answered, divided by four, rounded up. */
export function usageOf(reply: Reply, request: ProviderRequest, answer: RenderedReply): Usage {
  const stated = reply.usage;
  if (stated === undefined) return estimateUsage(request, answer);
  const usage: Usage = { inputTokens: stated.input_tokens, outputTokens: stated.output_tokens };
  if (stated.cached_input_tokens !== undefined) usage.cachedInputTokens = stated.cached_input_tokens;
  if (stated.reasoning_tokens !== undefined) usage.reasoningTokens = stated.reasoning_tokens;
  return usage;
}

function estimateUsage(request: ProviderRequest, answer: RenderedReply): Usage {
  let sent = request.system?.length ?? 0;
  if (request.tools.length > 0) sent += JSON.stringify(request.tools).length;
  for (const message of request.messages) {
    if (message.role === "assistant") sent += message.text.length + callLength(message.toolCalls);
    else sent += typeof message.content === "string" ? message.content.length : JSON.stringify(message.content).length;
  }
  return { inputTokens: tokens(sent), outputTokens: tokens(answer.text.length + callLength(answer.toolCalls)) };
}

function callLength(calls: RenderedReply["toolCalls"]): number {
  return calls.reduce((sum, call) => sum + call.tool.length + JSON.stringify(call.args ?? {}).length, 0);
}

function tokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}
