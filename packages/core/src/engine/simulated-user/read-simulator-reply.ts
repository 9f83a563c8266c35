import type { ProviderResponse } from "../../providers/provider.js";
import type { ConversationEnd } from "../../transcript/simulated-user.js";

export type SimulatorReply =
  | { kind: "message"; text: string }
  | { kind: "end"; by: Extract<ConversationEnd, "goal" | "gave_up"> }
  /** `reason` goes on after "because". */
  | { kind: "unusable"; reason: string };

/** What the agent answered last, and what fences it; null before it has answered. */
export interface ReplyContext {
  lastAnswer: string | null;
  fence: string;
}

/** Models leave out the end of a marker, or write it in another case: it must not reach the agent all the same. */
const goalMarker = /#{2,}\s*goal[\s_-]*reached/i;
const giveUpMarker = /#{2,}\s*give[\s_-]*up/i;

const userLabel = /^\s*(?:\*\*)?(?:user|customer|human|me)(?:\*\*)?\s*:(?:\*\*)?\s*/i;
const agentLabel = /^\s*(?:\*\*)?(?:assistant|agent|ai|bot)(?:\*\*)?\s*:/im;
/** Models that fall out of the role speak of themselves; a user may well speak of models, or work with them. */
const asAModel = /\bas an? (?:ai(?: language model| model| assistant)?|(?:large )?language model),? i\b/i;
const iAmAModel =
  /\bi(?:'m| am) (?:just |only )?an? (?:ai(?=[,.;!]|$| (?:and|so|that|without|model|language|assistant)\b)|(?:large )?language model|virtual assistant)/i;

/** What to make of the reply of the model that plays the user. Pure. */
export function readSimulatorReply(response: ProviderResponse, { lastAnswer, fence }: ReplyContext): SimulatorReply {
  const { toolCalls, finishReason } = response;
  if (toolCalls.length > 0) return unusable("it calls a tool, and users have none");
  if (finishReason.unified === "length") return unusable("it was cut off; raise max_tokens of this model if it recurs");
  if (finishReason.unified === "refusal" || finishReason.unified === "content_filter") {
    return unusable("it refuses to play the user");
  }
  const text = unquoted(response.text.trim().replace(userLabel, "").trim());
  if (text === "") return unusable("it is empty");
  const isGoal = goalMarker.test(text);
  const isGivingUp = giveUpMarker.test(text);
  if (isGoal && isGivingUp) return unusable("it holds both endings");
  if (isGoal || isGivingUp) {
    if (lastAnswer === null) return unusable("it ends the conversation before the assistant has said anything");
    return { kind: "end", by: isGoal ? "goal" : "gave_up" };
  }
  if (text.includes(fence)) return unusable("it writes the assistant's part");
  if (agentLabel.test(text)) return unusable("it writes the assistant's part");
  if (asAModel.test(text) || iAmAModel.test(text)) return unusable("it speaks as the assistant");
  if (lastAnswer !== null && text.length > 20 && text === lastAnswer.trim()) {
    return unusable("it repeats the assistant's words");
  }
  return { kind: "message", text };
}

function unusable(reason: string): SimulatorReply {
  return { kind: "unusable", reason };
}

/** A message that stands in quotation marks as a whole is meant without them. */
function unquoted(text: string): string {
  const inner = /^"([^"]+)"$|^“([^”]+)”$/.exec(text);
  return (inner?.[1] ?? inner?.[2] ?? text).trim();
}
