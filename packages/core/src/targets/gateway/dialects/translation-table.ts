import type * as z from "zod";
import type { GatewayChange } from "../../../errors/gateway-change.js";
import { isRecord } from "../../../values/json.js";

/** Finds what is lost of a value in a translation. */
export type Rule = (value: unknown, path: string) => readonly GatewayChange[];

const lost =
  (kind: GatewayChange["kind"]) =>
  (reason: string, ...harmless: readonly unknown[]): Rule =>
  (value, path) =>
    value === null || harmless.includes(value) ? [] : [{ path, kind, reason }];

/** What the model does not get to see, though the request goes on; `harmless`: the values that say nothing. */
export const dropped = lost("dropped");

/** What the model gets to see as something else. */
export const changed = lost("changed");

/** Without it, another thing would be tested. */
export const refused = lost("refused");

/** For what a translator does not know, and might be what the test is about. */
const unknown = refused("KindLM cannot translate it");

/** A value whose meaning is kept as a whole. */
export const whole: Rule = () => [];

/**
 * An object whose known keys are those that the translator reads. `rules` says what becomes of others, and looks into
 * known ones. What is neither is refused.
 */
export function keysOf(read: z.ZodObject, rules: Readonly<Record<string, Rule>> = {}): Rule {
  return (value, path) => {
    if (!isRecord(value)) return [];
    return Object.entries(value).flatMap(([key, inner]) => {
      if (inner === undefined) return [];
      const known = Object.hasOwn(read.shape, key) ? whole : unknown;
      const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
      return (rule ?? known)(inner, path === "" ? key : `${path}.${key}`);
    });
  };
}

/** The items of a list; anything else is not looked into. */
export function each(rule: Rule): Rule {
  return (value, path) => (Array.isArray(value) ? value.flatMap((item: unknown) => rule(item, `${path}[]`)) : []);
}

/** An object of several kinds, distinguished by a key. `absent`: the kind of one without it. */
export function kindsOf(key: string, kinds: Readonly<Record<string, Rule>>, absent?: string): Rule {
  return (value, path) => {
    if (!isRecord(value)) return [];
    const kind = value[key] ?? absent;
    if (typeof kind !== "string") return [];
    const rule = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
    return rule === undefined ? unknown(kind, `${path}(${kind})`) : rule(value, path);
  };
}
