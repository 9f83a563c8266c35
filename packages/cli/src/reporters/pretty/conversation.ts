import type { ConversationEnd, SimulatedUserRecord, SpokenMessage } from "@kindlm/core";
import { plural, visibleLine } from "@kindlm/core/program";
import { drawTree } from "./draw-tree.js";
import type { PrettyView } from "./pretty-view.js";

const mostShown = 12;
const longestText = 160;

const speakers: Readonly<Record<SpokenMessage["by"], string>> = {
  user: "User",
  simulated_user: "User (simulated)",
  agent: "Agent",
};

const ends: Readonly<Record<ConversationEnd, string>> = {
  goal: "the user reached the goal",
  gave_up: "the user gave up",
  stop: "an answer matched stop",
  max_turns: "max_turns was reached",
};

/** What a simulated user and the agent said to each other, and how it ended. Of a long talk the end is shown. */
export function renderConversation(
  { conversation, model, stoppedBy, turns }: SimulatedUserRecord,
  mask: (text: string) => string,
  view: PrettyView,
): string[] {
  const { verbose } = view.options;
  const shown = verbose ? conversation : conversation.slice(-mostShown);
  const lines = shown.map(({ by, text }) => {
    const line = visibleLine(mask(text).trim());
    const short =
      verbose || line.length <= longestText ? line : `${line.slice(0, longestText).replace(/[\ud800-\udbff]$/, "")}…`;
    const speaker = by === "simulated_user" ? view.palette.cyan(speakers[by]) : speakers[by];
    return { text: `${speaker}: ${short}` };
  });
  const hidden = conversation.length - shown.length;
  const earlier = hidden > 0 ? [{ text: `… ${plural(hidden, "earlier message")}; --verbose shows all of them` }] : [];
  const end = stoppedBy === null ? "an error ended it" : ends[stoppedBy];
  const title = view.line(`Conversation (${plural(turns, "message")} by ${model}; ${end})`);
  return drawTree({ text: title, children: [...earlier, ...lines] });
}
