import type { RequestedToolCall } from "./message.js";
import type { TrialToolCall } from "./trial.js";

/** What a trial keeps of a call from its start. */
export function recordOf(
  { tool, args, exactIntegers, malformed }: Omit<RequestedToolCall, "id">,
  place: Pick<TrialToolCall, "turn" | "userTurn" | "ranBy">,
): TrialToolCall {
  const digits = exactIntegers === undefined ? {} : { exactIntegers };
  return { tool, args: malformed?.raw ?? args, ...digits, ...place };
}
