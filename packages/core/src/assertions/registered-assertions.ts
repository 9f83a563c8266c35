import type { AssertionDefinition } from "./define-assertion.js";
import { assertionTypes, findAssertion } from "./registry.js";

/** The assertion types that a config registers besides the built-in ones, by their names. */
export type RegisteredAssertions = ReadonlyMap<string, AssertionDefinition>;

export const noneRegistered: RegisteredAssertions = new Map();

export function findType(type: string, registered: RegisteredAssertions): AssertionDefinition | undefined {
  return findAssertion(type) ?? registered.get(type);
}

export function typesWith(registered: RegisteredAssertions): readonly string[] {
  return registered.size === 0 ? assertionTypes : [...assertionTypes, ...registered.keys()];
}
