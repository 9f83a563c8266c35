import type { FuncKeywordDefinition } from "ajv";
import { canonicalJson } from "../values/canonical-json.js";

/** `uniqueItems` in the time that sorting takes; that of ajv compares each item with each. */
export const uniqueItems = {
  keyword: "uniqueItems",
  type: "array",
  schemaType: "boolean",
  compile: (isWanted: boolean) => {
    const validate: ReturnType<NonNullable<FuncKeywordDefinition["compile"]>> = (items: readonly unknown[]) => {
      const pair = isWanted ? lastEqualPair(items) : null;
      if (pair === null) return true;
      const [j, i] = pair;
      const message = `must NOT have duplicate items (items ## ${j} and ${i} are identical)`;
      validate.errors = [{ keyword: "uniqueItems", message, params: { i, j } }];
      return false;
    };
    return validate;
  },
} satisfies FuncKeywordDefinition;

/** The last item that equals an earlier one, after the last such one. Equal data has equal canonical JSON. */
function lastEqualPair(items: readonly unknown[]): readonly [number, number] | null {
  const seen = new Map<string, number>();
  let found: readonly [number, number] | null = null;
  for (const [index, item] of items.entries()) {
    const key = canonicalJson(item);
    const before = seen.get(key);
    if (before !== undefined) found = [before, index];
    seen.set(key, index);
  }
  return found;
}
