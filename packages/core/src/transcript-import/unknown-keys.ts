import { findCalls, holdsSomething } from "../transcript/find-calls.js";
import { wordSet } from "../values/word-set.js";

/** What a reader of messages reads, or keys that never describe the conversation. */
const readKeys = wordSet(`
  role type id name content parts text refusal images artifact lc lc_kwargs tool_calls toolCalls function_call
  functionCall invalid_tool_calls tool_call_chunks toolInvocations additional_kwargs tool_call_id toolCallId
  callId tool_name toolName status isError is_error isNudge finish_reason finishReason stop_reason stopReason
`);

/** Notes of programs next to a message. They should contain no call; if one does, it is not overlooked. */
const notedKeys = wordSet(`
  metadata _meta usage usage_metadata usageMetadata response_metadata responseMetadata providerMetadata
  provider_metadata providerOptions experimental_providerMetadata extra container provider_specific_fields
  annotations citations logprobs audio data attachments context experimental_attachments createdAt created_at
  lc_namespace reasoning reasoning_content reasoning_details reasoningDetails thinking thinking_blocks
  cache_control stop_details context_management tool_plan documents
`);

/** Names of what may be a call even where it is a word. */
const callLike = /tool|function|call|action|invo/i;

/** A key that is not known, and in which a call could be. */
export interface UnknownKey {
  path: string;
  problem: string;
}

export const hiddenCall = "looks like a tool call in a place that is not known";

/** Null if a message, of which these keys are read, has nothing that may be a call outside of what is read. */
export function unknownKeyIn(
  message: Readonly<Record<string, unknown>>,
  read: ReadonlySet<string> = readKeys,
): UnknownKey | null {
  for (const [key, value] of Object.entries(message)) {
    if (read.has(key) || !holdsSomething(value)) continue;
    if (notedKeys.has(key) || key.startsWith("__")) {
      const [hidden] = findCalls({ [key]: value }, { most: 1, isStrict: true });
      if (hidden !== undefined) return { path: hidden.path, problem: hiddenCall };
    } else if (typeof value === "object" || callLike.test(key)) {
      return { path: `.${key}`, problem: "is not known and could be a tool call" };
    }
  }
  return null;
}
