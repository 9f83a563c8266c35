import { containersIn, isObject, placesIn, removeAt, type Edge } from "../find-places.js";
import type { Dice } from "../dice.js";
import { harmless } from "../planted-call.js";
import { copyOfValue, type Json, type Wire } from "../wire.js";
import type { Step } from "./step.js";

function around(name: string, apply: (wire: Wire, dice: Dice) => boolean): Step {
  return { name, class: "keeps", apply };
}

const finishKey = /^(?:finish_?reason|stop_?reason|done_?reason|status|incomplete_details)$/i;
const finishes = [
  ...`stop end_turn STOP COMPLETE completed tool_calls tool_use TOOL_CALL length max_tokens`.split(" "),
  ...`content_filter refusal function_call incomplete SAFETY MALFORMED_FUNCTION_CALL unheard_of pause_turn`.split(" "),
  "",
  null,
  7,
  {},
];

const items: readonly unknown[] = [
  { type: "text", text: "Of course." },
  { text: "Of course." },
  { type: "output_text", text: "Of course." },
  { type: "thinking", thinking: "Should I?", signature: "s" },
  { type: "unheard_of", payload: { a: [1] } },
  { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
  {},
  null,
  7,
  "text",
  [],
];
const addedKeys = ["extra", "metadata", "__proto__", "constructor", "toJSON", "then", "length", "type2", "reasoning"];

function finishEdges(wire: Wire): readonly Edge[] {
  return containersIn(wire.messages).flatMap(({ container }) =>
    isObject(container)
      ? Object.keys(container).flatMap((key) => (finishKey.test(key) ? [{ container, key }] : []))
      : [],
  );
}

/** Lists in which there is something to tell apart by its form, not lists of numbers such as probabilities. */
function listsIn(wire: Wire): readonly unknown[][] {
  return containersIn(wire.messages).flatMap(({ container }) => (Array.isArray(container) ? [container] : []));
}

function objectsIn(wire: Wire): readonly Json[] {
  return containersIn(wire.messages).flatMap(({ container }) => (isObject(container) ? [container] : []));
}

const nameKeys = ["name", "tool", "toolName", "tool_name", "function_name", "recipient_name", "function"];
const textKey = /^(?:text|content|tool_plan|delta)$/;

/** Changes of what stands around the call. */
export const aroundSteps: readonly Step[] = [
  around("another end", (wire, dice) => {
    const edges = finishEdges(wire);
    if (edges.length === 0) return false;
    const edge = dice.pick(edges);
    if (dice.chance(0.15)) removeAt(edge);
    else (edge.container as Json)[edge.key] = dice.pick(finishes);
    return true;
  }),
  around("something else in a list", (wire, dice) => {
    const lists = listsIn(wire);
    if (lists.length === 0) return false;
    const list = dice.pick(lists);
    list.splice(dice.int(list.length + 1), 0, copyOfValue(dice.pick(items)));
    return true;
  }),
  around("another key beside", (wire, dice) => {
    const objects = objectsIn(wire);
    if (objects.length === 0) return false;
    const object = dice.pick(objects);
    const key = dice.pick(addedKeys);
    if (Object.hasOwn(object, key)) return false;
    const value = copyOfValue(dice.pick(items));
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    return true;
  }),
  around("keys in another order", (wire, dice) => {
    const objects = objectsIn(wire);
    if (objects.length === 0) return false;
    const object = dice.pick(objects);
    const entries = Object.entries(object).toReversed();
    for (const [key] of entries) Reflect.deleteProperty(object, key);
    for (const [key, value] of entries) {
      Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    }
    return true;
  }),
  around("another text", (wire, dice) => {
    const texts = objectsIn(wire).flatMap((container) =>
      Object.entries(container).flatMap(([key, value]) =>
        textKey.test(key) && (typeof value === "string" || value === null) ? [{ container, key }] : [],
      ),
    );
    if (texts.length === 0) return false;
    const { container, key } = dice.pick(texts);
    if (String(container[key]).includes("ACC-7")) return false;
    container[key] = dice.pick(["", "Sure.", "\u200B", null, "x".repeat(3_000), "{}", 7]);
    return true;
  }),
  around("another name beside", (wire, dice) => {
    const edge = dice.pick([...placesIn(wire.messages), undefined])?.edges.at(-1);
    if (edge === undefined || !isObject(edge.container)) return false;
    const { container, key } = edge;
    const other = dice.pick(nameKeys.filter((one) => one !== key));
    if (Object.hasOwn(container, other)) return false;
    container[other] = harmless.tool;
    if (dice.chance(0.5)) [container[key], container[other]] = [container[other], container[key]];
    return true;
  }),
  around("something left out", (wire, dice) => {
    const kept = new Set(placesIn(wire.messages).flatMap(({ edges }) => edges.map(keyOf)));
    const edges = containersIn(wire.messages).flatMap(({ container }) =>
      isObject(container) ? Object.keys(container).map((key) => ({ container, key })) : [],
    );
    const free = edges.filter((edge) => !kept.has(keyOf(edge)) && !finishKey.test(edge.key));
    if (free.length === 0) return false;
    removeAt(dice.pick(free));
    return true;
  }),
];

const numbers = new WeakMap<object, number>();
let count = 0;

/** Tells edges apart that are made anew with each search. */
function keyOf({ container, key }: Edge): string {
  const known = numbers.get(container) ?? (count += 1);
  numbers.set(container, known);
  return `${known} ${key}`;
}
