import { attemptSync, messageOf } from "../errors/boundary.js";
import type { RequestedToolCall } from "../transcript/message.js";

/**
 * Arguments as a model wrote them. Empty text stands for no arguments, as several servers send it; text that is not
 * JSON is kept with the reason, as data.
 */
export function parseToolArguments(raw: string): Pick<RequestedToolCall, "args" | "malformed"> {
  if (raw.trim() === "") return { args: {} };
  const parsed = attemptSync<unknown, string>(() => JSON.parse(raw), messageOf);
  return parsed.success ? { args: parsed.data } : { args: undefined, malformed: { raw, reason: parsed.error } };
}
