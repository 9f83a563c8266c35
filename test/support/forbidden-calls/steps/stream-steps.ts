import { containersIn, getAt, isObject, placesIn, removeAt, setAt } from "../find-places.js";
import type { Dice } from "../dice.js";
import { planted } from "../planted-call.js";
import { copyOfValue, type Wire, type WireMessage } from "../wire.js";
import type { Step } from "./step.js";

function streamed(name: string, apply: (messages: WireMessage[], dice: Dice) => boolean): Step {
  return {
    name,
    class: "keeps",
    apply: ({ framing, messages }: Wire, dice) => framing !== "json" && messages.length > 1 && apply(messages, dice),
  };
}

/** The first that may end an answer: what comes behind it is none of the answer any more. */
function endOf(messages: readonly WireMessage[]): number {
  const end = messages.findIndex(({ name, data }) =>
    endText.test(`${name} ${typeof data === "string" ? data : JSON.stringify(data)}`),
  );
  return end === -1 ? messages.length - 1 : end;
}

const endText =
  /\[DONE\]|"done":true|response\.(?:completed|incomplete|failed)|message_stop|message-end|"finishReason"|^metadata /;

const indexKeys: ReadonlySet<string> = new Set([
  "index",
  "output_index",
  "contentBlockIndex",
  "content_index",
  "sequence_number",
  "item_id",
]);

/** Changes of the order and of the pieces of a stream. Nothing moves behind the end of the answer. */
export const streamSteps: readonly Step[] = [
  streamed("in another order", (messages, dice) => {
    const end = endOf(messages);
    if (end < 2) return false;
    const [message] = messages.splice(dice.int(end), 1);
    if (message !== undefined) messages.splice(dice.int(end), 0, message);
    return true;
  }),
  streamed("shuffled", (messages, dice) => {
    const end = endOf(messages);
    if (end < 2) return false;
    const rest = messages.splice(0, end);
    const mixed: WireMessage[] = [];
    while (rest.length > 0) mixed.push(...rest.splice(dice.int(rest.length), 1));
    messages.unshift(...mixed);
    return true;
  }),
  streamed("a message twice", (messages, dice) => {
    const end = endOf(messages);
    if (end < 1) return false;
    const at = dice.int(end);
    messages.splice(at, 0, copyOfMessage(messages[at]));
    return true;
  }),
  streamed("the name in pieces", (messages, dice) => {
    const [place] = placesIn(messages);
    const edge = place?.edges.at(-1);
    if (place === undefined || edge === undefined) return false;
    const at = messages.indexOf(place.message);
    if (at >= endOf(messages)) return false;
    const name = getAt(edge);
    // Of a longer one, a piece might be the prefix alone.
    if (name !== planted.tool) return false;
    // The mark stays in one piece, so that other steps find it.
    const cut = 7 + dice.int(Math.max(1, name.length - 7));
    const second = copyOfMessage(place.message);
    setAt(edge, name.slice(0, cut));
    const rest = placesIn([second])[0]?.edges.at(-1);
    if (rest !== undefined) setAt(rest, name.slice(cut));
    messages.splice(at + 1, 0, second);
    return true;
  }),
  streamed("the name again with a piece", (messages) => {
    const [place] = placesIn(messages);
    if (place === undefined) return false;
    const at = messages.indexOf(place.message);
    if (at >= endOf(messages)) return false;
    messages.splice(at + 1, 0, copyOfMessage(place.message));
    return true;
  }),
  streamed("the name after its arguments", (messages, dice) => {
    const [place] = placesIn(messages);
    if (place === undefined) return false;
    const at = messages.indexOf(place.message);
    const end = endOf(messages);
    if (at >= end - 1) return false;
    messages.splice(at, 1);
    messages.splice(at + 1 + dice.int(end - 1 - at), 0, place.message);
    return true;
  }),
  streamed("without an index", (messages, dice) => {
    const edges = containersIn(messages).flatMap(({ container }) =>
      isObject(container)
        ? Object.keys(container).flatMap((key) => (indexKeys.has(key) ? [{ container, key }] : []))
        : [],
    );
    if (edges.length === 0) return false;
    if (dice.chance(0.5)) for (const edge of edges) removeAt(edge);
    else {
      const edge = dice.pick(edges);
      edge.container[edge.key] = dice.pick([0, 1, 7, -1, "0", null]);
    }
    return true;
  }),
  streamed("without its end", (messages, dice) => {
    const last = Math.max(0, ...placesIn(messages).map(({ message }) => messages.indexOf(message)));
    const left = messages.length - 1 - last;
    if (left < 1) return false;
    messages.splice(messages.length - 1 - dice.int(left));
    return true;
  }),
];

function copyOfMessage(message: WireMessage = { name: null, data: {} }): WireMessage {
  return { name: message.name, data: copyOfValue(message.data) };
}
