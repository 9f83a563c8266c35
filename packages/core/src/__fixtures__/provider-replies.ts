/** The wire formats that the loopback servers speak. */
export type ProviderShape = "openai" | "anthropic";

export interface Answer {
  text?: string;
  toolCalls?: readonly { id: string; tool: string; args: unknown }[];
}

/** A successful reply in the shape that the provider documents. */
export function successBody(shape: ProviderShape, answer: Answer): Record<string, unknown> {
  return shape === "openai" ? chatCompletion(answer) : anthropicMessage(answer);
}

/** An error reply in the shape that the provider documents. */
export function errorBody(shape: ProviderShape, type: string, message: string): Record<string, unknown> {
  return shape === "openai"
    ? { error: { message, type, param: null, code: type } }
    : { type: "error", error: { type, message }, request_id: "req_011" };
}

export function chatCompletion({ text, toolCalls = [] }: Answer): Record<string, unknown> {
  const calls = toolCalls.map(({ id, tool, args }) => ({
    id,
    type: "function",
    function: { name: tool, arguments: typeof args === "string" ? args : JSON.stringify(args) },
  }));
  return {
    id: "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
    object: "chat.completion",
    created: 1_741_569_952,
    model: "gpt-4.1-mini-2025-04-14",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text ?? null,
          refusal: null,
          annotations: [],
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
        },
        logprobs: null,
        finish_reason: calls.length > 0 ? "tool_calls" : "stop",
      },
    ],
    usage: {
      prompt_tokens: 82,
      completion_tokens: 17,
      total_tokens: 99,
      prompt_tokens_details: { cached_tokens: 64, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 5, audio_tokens: 0 },
    },
    service_tier: "default",
    system_fingerprint: "fp_44709d6fcb",
  };
}

export function anthropicMessage({ text, toolCalls = [] }: Answer): Record<string, unknown> {
  const content: unknown[] = text === undefined ? [] : [{ type: "text", text, citations: null }];
  for (const { id, tool, args } of toolCalls) {
    content.push({ type: "tool_use", id, name: tool, input: args, caller: { type: "direct" } });
  }
  return {
    id: "msg_01XFDUDYJgAACzvnptvVoYEL",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5-20250929",
    content,
    stop_reason: toolCalls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: 18,
      cache_creation_input_tokens: 20,
      cache_read_input_tokens: 44,
      output_tokens: 17,
      output_tokens_details: { thinking_tokens: 5 },
      service_tier: "standard",
    },
  };
}
