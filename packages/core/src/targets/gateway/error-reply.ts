import type { IncomingMessage } from "node:http";
import { anthropicError, isAnthropic } from "./dialects/anthropic/anthropic-words.js";
import { openaiError } from "./dialects/openai-words.js";
import type { GatewayReply } from "./gateway-request.js";

/** An error in the words of the API whose client asks, as far as the headers show which one that is. */
export function errorReply(
  headers: IncomingMessage["headers"],
  ...error: readonly [status: number, code: string, message: string]
): GatewayReply {
  return isAnthropic(headers) ? anthropicError(...error) : openaiError(...error);
}
