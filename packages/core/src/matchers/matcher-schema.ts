import * as z from "../values/deferred-zod.js";
import { reportTo } from "../errors/schema-problem.js";
import type { Matcher } from "./matcher.js";
import { modifierOwners, operators } from "./registry.js";
import { parseMatcher } from "./parse-matcher.js";

/** The part of a matcher that a JSON Schema can express: operators by name, and none of them next to plain keys. */
const forms = [
  { type: ["string", "number", "boolean", "null"] },
  { type: "array", items: { $ref: "#/definitions/Matcher" } },
  {
    type: "object",
    propertyNames: { pattern: "^([^$]|\\$\\$|$)" },
    additionalProperties: { $ref: "#/definitions/Matcher" },
  },
  {
    type: "object",
    minProperties: 1,
    properties: Object.fromEntries([...Object.keys(operators), ...modifierOwners.keys()].map((name) => [name, {}])),
    additionalProperties: false,
  },
];

/** A matcher as written in a config. Yields it compiled. */
export const matcherSchema: z.ZodType<Matcher> = z
  .unknown()
  .transform((raw, context): Matcher => {
    // A config has no undefined; it is what zod hands on for a key that is missing.
    if (raw === undefined) {
      context.addIssue({ code: "custom", message: "A matcher is missing" });
      return z.NEVER;
    }
    const parsed = parseMatcher(raw);
    if (parsed.success) return parsed.data;
    reportTo(context, parsed.error);
    return z.NEVER;
  })
  .meta({
    id: "Matcher",
    anyOf: forms,
    description:
      "A value that matches itself, an object of which each key must match, a list that must match element by element, or an object of operators such as {$regex: ^ORD-} or {$gte: 3, $lt: 10}",
  });
