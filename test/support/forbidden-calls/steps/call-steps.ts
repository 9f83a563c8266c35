import {
  callEdgeOf,
  containersIn,
  getAt,
  holdsName,
  holderOf,
  isObject,
  objectsAround,
  placesIn,
  removeAt,
  renameKey,
  setAt,
  type Place,
} from "../find-places.js";
import { planted } from "../planted-call.js";
import type { Dice } from "../dice.js";
import { copyOfValue, type Json, type Wire } from "../wire.js";
import type { Step } from "./step.js";

type At = (place: Place, dice: Dice, wire: Wire) => boolean;

/** A step at one of the places of the planted call. */
function atPlace(name: string, apply: At): Step {
  return {
    name,
    class: "keeps",
    apply(wire, dice) {
      const places = placesIn(wire.messages);
      return places.length > 0 && apply(dice.pick(places), dice, wire);
    },
  };
}

const types = [
  ..."function tool_use tool-call tool_call toolUse function_call functionCall custom mcp_call".split(" "),
  ..."server_tool_use mcp_tool_use custom_tool_call tool_use_v2 computer_call tool-invocation text".split(" "),
  ..."dynamic-tool action message output_text thinking".split(" "),
  "",
  null,
  7,
  ["tool_use"],
  { kind: "function" },
];
const nameKeys = ["name", "tool", "toolName", "tool_name", "function_name", "recipient_name"];
const argumentKeys = ["arguments", "args", "input", "parameters", "tool_input", "toolInput", "kwargs"];
const idKeys = ["id", "call_id", "toolUseId", "tool_use_id", "tool_call_id", "toolCallId", "callId"];
const carriers = (
  "tool_calls toolCalls tool_call toolCall function_call functionCall toolUse tool_use functionCalls toolInvocations " +
  "tool_invocations parts content actions calls invalid_tool_calls"
).split(" ");

function keyAmong(object: Json, keys: readonly string[]): string | null {
  return keys.find((key) => Object.hasOwn(object, key)) ?? null;
}

/** `tool_calls` as `toolCalls`, `ToolCalls`, `tool_call`, `tool-calls`, … */
function variantsOf(key: string): readonly string[] {
  const snake = key.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const camel = key.replaceAll(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const number = key.endsWith("s") ? key.slice(0, -1) : `${key}s`;
  const capital = key.slice(0, 1).toUpperCase() + key.slice(1);
  return [snake, camel, number, capital, `_${key}`, `${key}_`, snake.replaceAll("_", "-"), `x_${key}`].filter(
    (one) => one !== key && one !== "",
  );
}

const spaces = [" ", "\t", "\n", "\u00A0", "\u200B", "\u200D", "\u2060", "\uFEFF", "\u00AD", "\u202E"];

function nameVariant(name: string, dice: Dice): string {
  const at = dice.int(name.length + 1);
  switch (dice.int(4)) {
    case 0:
      return dice.pick(["functions.", "function.", "tools.", "tool.", "default_api.", "functions:"]) + name;
    case 1:
      return dice.pick(spaces) + name;
    case 2:
      return name + dice.pick(spaces);
    default:
      // Inside of the name only what nobody can see.
      return name.slice(0, at) + dice.pick(spaces.slice(4)) + name.slice(at);
  }
}

function deep(levels: number): unknown {
  let value: unknown = "ACC-7";
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const written = JSON.stringify(planted.args);
const argumentValues: readonly (() => unknown)[] = [
  () => planted.args,
  () => written,
  () => JSON.stringify(written),
  () => written.slice(0, -4),
  () => `${written}${written}`,
  () => "not JSON",
  () => "",
  () => null,
  () => 7,
  () => true,
  () => [],
  () => [planted.args],
  () => ({}),
  () => deep(60),
  () => ({ ...planted.args, ["__proto__"]: { polluted: true } }),
  () => JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "toJSON": "x"}') as unknown,
  () => "\uD800",
  () => ({ "": "\u0000" }),
];

/** Changes of the call itself and of its way through the reply; each leaves the call in it. */
export const callSteps: readonly Step[] = [
  atPlace("another type", (place, dice) => {
    const object = dice.pick(objectsAround(place).slice(0, 4));
    const type = dice.pick(types);
    if (dice.chance(0.2)) Reflect.deleteProperty(object, "type");
    else object["type"] = type;
    return true;
  }),
  atPlace("another name of the message", ({ message }, dice) => {
    if (message.name === null) return false;
    message.name = dice.pick([null, "", "tool_call", "toolUse", "message", "ping", ...variantsOf(message.name)]);
    return true;
  }),
  atPlace("another key on the way", (place, dice) => {
    const edges = place.edges.filter(({ container, key }) => isObject(container) && typeof key === "string");
    if (edges.length === 0) return false;
    const { container, key } = dice.pick(edges);
    renameKey(container as Json, String(key), dice.pick(variantsOf(String(key))));
    return true;
  }),
  atPlace("another key of the name", (place, dice) => {
    const edge = place.edges.at(-1);
    if (edge === undefined || !isObject(edge.container)) return false;
    renameKey(edge.container, String(edge.key), dice.pick(nameKeys));
    return true;
  }),
  atPlace("another key of the arguments", (place, dice) => {
    const holder = holderOf(place);
    const key = isObject(holder) ? keyAmong(holder, argumentKeys) : null;
    if (key === null) return false;
    renameKey(holder as Json, key, dice.pick(argumentKeys));
    return true;
  }),
  atPlace("other arguments", (place, dice) => {
    const holder = holderOf(place);
    if (!isObject(holder)) return false;
    const key = keyAmong(holder, argumentKeys) ?? dice.pick(argumentKeys);
    if (dice.chance(0.1)) Reflect.deleteProperty(holder, key);
    else holder[key] = copyOfValue(dice.pick(argumentValues)());
    return true;
  }),
  atPlace("another id", (place, dice) => {
    const object = objectsAround(place).find((one) => keyAmong(one, idKeys) !== null);
    const key = object === undefined ? null : keyAmong(object, idKeys);
    if (object === undefined || key === null) return false;
    if (dice.chance(0.4)) Reflect.deleteProperty(object, key);
    else object[key] = dice.pick(["", null, 7, "null", "__proto__", "x".repeat(500), {}, "call_1_1"]);
    return true;
  }),
  atPlace("a name that looks the same", (place, dice) => {
    const edge = place.edges.at(-1);
    if (edge === undefined) return false;
    setAt(edge, nameVariant(String(getAt(edge)), dice));
    return true;
  }),
  atPlace("twice", (place, dice) => {
    const edge = callEdgeOf(place);
    if (edge === null || !Array.isArray(edge.container)) return false;
    const copy = copyOfValue(getAt(edge));
    if (isObject(copy) && dice.chance(0.5)) copy["id"] = "call_other";
    edge.container.splice(Number(edge.key) + dice.int(2), 0, copy);
    return true;
  }),
  atPlace("elsewhere in a list", (place, dice, { messages }) => {
    const edge = callEdgeOf(place);
    if (edge === null) return false;
    const call = getAt(edge);
    const lists = containersAround(messages).flatMap(({ container }) => (Array.isArray(container) ? [container] : []));
    if (lists.length === 0) return false;
    const list = dice.pick(lists);
    if (dice.chance(0.8)) removeAt(edge);
    const copy = copyOfValue(call);
    if (Array.isArray(edge.container) && edge.container.length === 0 && dice.chance(0.5))
      dropEmpty(place, edge.container);
    list.splice(dice.int(list.length + 1), 0, copy);
    return true;
  }),
  atPlace("under another key", (place, dice, { messages }) => {
    const edge = callEdgeOf(place);
    if (edge === null) return false;
    const call = copyOfValue(getAt(edge));
    const objects = containersAround(messages).flatMap(({ container }) => (isObject(container) ? [container] : []));
    if (objects.length === 0) return false;
    const object = dice.pick(objects);
    const key = dice.pick(carriers);
    if (Object.hasOwn(object, key)) return false;
    removeAt(edge);
    if (Array.isArray(edge.container) && edge.container.length === 0 && dice.chance(0.5))
      dropEmpty(place, edge.container);
    const value = dice.chance(0.7) ? [call] : call;
    object[key] = dice.chance(0.1) ? { [dice.pick(carriers)]: value } : value;
    return true;
  }),
  atPlace("not in its list", (place, dice) => {
    const edge = place.edges.findLast(({ container }) => Array.isArray(container));
    const index = edge === undefined ? -1 : place.edges.indexOf(edge);
    const outer = place.edges[index - 1];
    if (edge === undefined || outer === undefined) return false;
    setAt(outer, dice.pick([{ "0": getAt(edge) }, getAt(edge), [edge.container], { items: edge.container }]));
    return true;
  }),
  atPlace("in another choice", (place, dice) => {
    const edge = place.edges.find(({ container }) => Array.isArray(container));
    if (edge === undefined || !Array.isArray(edge.container)) return false;
    const choice = getAt(edge);
    if (!isObject(choice)) return false;
    const other = withoutName(choice);
    if (typeof choice["index"] === "number") {
      if (dice.chance(0.7)) choice["index"] = 1;
      else if (dice.chance(0.5)) Reflect.deleteProperty(choice, "index");
    }
    edge.container.splice(Number(edge.key), 0, other);
    return true;
  }),
];

/**
 * What a call has among its arguments is none itself, and among the definitions of tools it cannot be told from one.
 */
function containersAround(messages: Wire["messages"]): ReturnType<typeof containersIn> {
  const left = new Set([...argumentKeys, "tools"]);
  return containersIn(messages).filter(({ edges }) => !edges.some(({ key }) => left.has(String(key))));
}

/** The same without the list elements that hold the name. */
function withoutName(value: unknown): unknown {
  const strip = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.filter((inner) => !holdsName(inner));
    if (!isObject(one)) return one;
    return Object.fromEntries(
      Object.entries(one).map(([key, inner]) => [key, holdsName(inner) ? strip(inner) : inner]),
    );
  };
  return strip(value);
}

function dropEmpty({ edges }: Place, list: unknown[]): void {
  const edge = edges.find((one) => getAt(one) === list);
  if (edge !== undefined && isObject(edge.container)) removeAt(edge);
}
