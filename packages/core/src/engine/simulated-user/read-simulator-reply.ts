import type { ProviderResponse } from "../../providers/provider.js";
import type { ConversationEnd } from "../../transcript/simulated-user.js";
import { scriptedMarkers, type EndMarkers } from "./end-markers.js";

export type SimulatorReply =
  | { kind: "message"; text: string }
  | { kind: "end"; by: Extract<ConversationEnd, "goal" | "gave_up"> }
  /** `reason` goes on after "because". */
  | { kind: "unusable"; reason: string };

export interface ReplyContext {
  /** Null before the agent has answered. */
  lastAnswer: string | null;
  /** What encloses the words of the agent. */
  fence: string;
  markers: EndMarkers;
  /** A script wrote the reply. */
  isScripted: boolean;
}

/** What looks like a marker must not reach the agent, whether it is one or not. */
const markerLike = /#{2,}\s*(?:goal[\s_-]*reached|give[\s_-]*up)/i;

const userLabel = /^\s*(?:\*\*)?(?:user|customer|human|me)(?:\*\*)?\s*:(?:\*\*)?\s*/i;
const agentLabel = /^\s*(?:\*\*)?(?:assistant|agent|ai|bot)(?:\*\*)?\s*:/im;
/** Models that fall out of the role speak of themselves; a user may well speak of models, or work with them. */
const asAModel = /\bas an? (?:ai(?: language model| model| assistant)?|(?:large )?language model),? i\b/i;
const iAmAModel =
  /\bi(?:'m| am) (?:just |only )?an? (?:ai(?=[,.;!]|$| (?:and|so|that|without|model|language|assistant)\b)|(?:large )?language model|virtual assistant)/i;

/** What to make of the reply of the model that plays the user. Pure. */
export function readSimulatorReply(response: ProviderResponse, context: ReplyContext): SimulatorReply {
  const { lastAnswer, fence } = context;
  const { toolCalls, finishReason } = response;
  if (toolCalls.length > 0) return unusable("it calls a tool, and users have none");
  if (finishReason.unified === "length") return unusable("it was cut off; raise max_tokens of this model if it recurs");
  if (finishReason.unified === "refusal" || finishReason.unified === "content_filter") {
    return unusable("it refuses to play the user");
  }
  const text = unquoted(response.text.trim().replace(userLabel, "").trim());
  if (text === "") return unusable("it is empty");
  const end = readEnd(text, context);
  if (end !== null) return end;
  if (text.includes(fence)) return unusable("it writes the assistant's part");
  if (agentLabel.test(text)) return unusable("it writes the assistant's part");
  if (asAModel.test(text) || iAmAModel.test(text)) return unusable("it speaks as the assistant");
  if (lastAnswer !== null && text.length > 20 && text === lastAnswer.trim()) {
    return unusable("it repeats the assistant's words");
  }
  return { kind: "message", text };
}

/** An ending counts only alone on the last line: in a sentence it may be a quotation. Null where there is none. */
function readEnd(text: string, { lastAnswer, markers, isScripted }: ReplyContext): SimulatorReply | null {
  const lineFeed = text.lastIndexOf("\n");
  const last = text.slice(lineFeed + 1);
  const by = endOn(last, markers) ?? (isScripted ? endOn(last, scriptedMarkers) : null);
  const rest = by === null ? text : text.slice(0, lineFeed + 1);
  if (markerLike.test(rest) || rest.toLowerCase().includes(markers.id)) {
    return unusable(
      by === null
        ? "an ending stands alone on the last line, exactly as it is written in your instructions"
        : "it holds more than one ending",
    );
  }
  if (by === null) return null;
  if (lastAnswer === null) return unusable("it ends the conversation before the assistant has said anything");
  return { kind: "end", by };
}

/** Models leave out the end of a marker, decorate it, or write it in another case. */
function endOn(
  line: string,
  { goal, gave_up: gaveUp }: Pick<EndMarkers, "goal" | "gave_up">,
): "goal" | "gave_up" | null {
  const written = lettersOf(line);
  if (!line.includes("##")) return null;
  return written === lettersOf(goal) ? "goal" : written === lettersOf(gaveUp) ? "gave_up" : null;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[\s#_*"'`.!-]+/g, "");
}

function unusable(reason: string): SimulatorReply {
  return { kind: "unusable", reason };
}

/** A message that is in quotation marks as a whole is meant without them. */
function unquoted(text: string): string {
  const inner = /^"([^"]+)"$|^“([^”]+)”$/.exec(text);
  return (inner?.[1] ?? inner?.[2] ?? text).trim();
}
