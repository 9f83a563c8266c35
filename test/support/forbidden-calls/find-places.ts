import { nameMark } from "./planted-call.js";
import type { Json, WireMessage } from "./wire.js";

export type Container = Json | unknown[];

/** One step from a container to what is in it. */
export interface Edge {
  container: Container;
  key: string | number;
}

/** Where the name of the planted call stands: the way to it, from the message down; the last edge leads to the name. */
export interface Place {
  message: WireMessage;
  edges: readonly Edge[];
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

export function entriesOf(container: Container): readonly (readonly [string | number, unknown])[] {
  return Array.isArray(container) ? [...container.entries()] : Object.entries(container);
}

/** Whether the planted name, or a piece of it, is somewhere in the value. */
export function holdsName(value: unknown): boolean {
  const text: string | undefined = JSON.stringify(value);
  return text?.includes(nameMark) ?? false;
}

/** All containers of the messages, each with the way to it. */
export function containersIn(
  messages: readonly WireMessage[],
): readonly { container: Container; edges: readonly Edge[] }[] {
  const found: { container: Container; edges: readonly Edge[] }[] = [];
  const visit = (value: unknown, edges: readonly Edge[]): void => {
    if (!isContainer(value) || edges.length > 40) return;
    found.push({ container: value, edges });
    for (const [key, inner] of entriesOf(value)) visit(inner, [...edges, { container: value, key }]);
  };
  for (const { data } of messages) visit(data, []);
  return found;
}

/** Every place of the planted name, or of a piece of it. */
export function placesIn(messages: readonly WireMessage[]): readonly Place[] {
  return messages.flatMap((message) =>
    containersIn([message]).flatMap(({ container, edges }) =>
      entriesOf(container).flatMap(([key, value]) =>
        typeof value === "string" && value.includes(nameMark)
          ? [{ message, edges: [...edges, { container, key }] }]
          : [],
      ),
    ),
  );
}

/** The object that the name is in. */
export function holderOf({ edges }: Place): Container {
  return edges.at(-1)?.container ?? {};
}

/** The objects around the name, from the inmost. */
export function objectsAround({ edges }: Place): readonly Json[] {
  return edges
    .map(({ container }) => container)
    .filter(isObject)
    .toReversed();
}

export function getAt({ container, key }: Edge): unknown {
  return (container as Json)[key];
}

export function setAt({ container, key }: Edge, value: unknown): void {
  if (Array.isArray(container)) container[key as number] = value;
  else Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
}

export function removeAt({ container, key }: Edge): void {
  if (Array.isArray(container)) container.splice(key as number, 1);
  else Reflect.deleteProperty(container, key);
}

/** The edge to the whole call: to the inmost element of a list around the name, else to the object of the name. */
export function callEdgeOf({ edges }: Place): Edge | null {
  return edges.findLast(({ container }) => Array.isArray(container)) ?? edges.at(-2) ?? null;
}

/** The same key in the other order of keys: an object keeps its order where one of them is renamed. */
export function renameKey(object: Json, from: string, to: string): void {
  const entries = Object.entries(object).map(([key, value]) => [key === from ? to : key, value] as const);
  for (const key of Object.keys(object)) Reflect.deleteProperty(object, key);
  for (const [key, value] of entries) setAt({ container: object, key }, value);
}
