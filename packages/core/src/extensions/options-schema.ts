import { failure, success, type Result } from "../result.js";
import { strictObject } from "../schema-parts/strict-object.js";
import * as z from "../values/deferred-zod.js";
import { isRecord } from "../values/json.js";

/**
 * The keys that a member takes, from the definitions of its options. These come from a module, so they may be anything.
 * Fails with what is wrong with them; none may have a name of `taken`, the keys `owner` has already.
 */
export function optionsShape(
  definitions: unknown,
  taken: ReadonlySet<string>,
  owner: string,
): Result<Record<string, z.ZodType>, string> {
  const shape = shapeOf(definitions, "options");
  const clash = shape.success ? Object.keys(shape.data).find((key) => taken.has(key)) : undefined;
  if (clash === undefined) return shape;
  return failure(`its option "${clash}" has the name of a key that every ${owner} has`);
}

/** What is wrong with a name for the config; null if nothing is. */
export function nameProblem(key: string, name: unknown): string | null {
  if (typeof name === "string" && /^[a-z][a-z0-9_]*$/.test(name)) return null;
  return `its "${key}" must be lower case letters, digits and _, but it is ${JSON.stringify(name) ?? "missing"}`;
}

function shapeOf(definitions: unknown, at: string): Result<Record<string, z.ZodType>, string> {
  if (!isRecord(definitions)) return failure(`its ${at} must be an object of definitions`);
  const shape: Record<string, z.ZodType> = {};
  for (const [name, definition] of Object.entries(definitions)) {
    const schema = valueSchemaOf(definition, `${at}.${name}`);
    if (!schema.success) return schema;
    shape[name] = optionOf(schema.data, isRecord(definition) ? definition : {});
  }
  return success(shape);
}

function optionOf(schema: z.ZodType, definition: Record<string, unknown>): z.ZodType {
  const { description, required } = definition;
  const described = typeof description === "string" ? schema.describe(description) : schema;
  if (definition["default"] !== undefined) return described.default(definition["default"]);
  return required === false ? described.optional() : described;
}

function valueSchemaOf(definition: unknown, at: string): Result<z.ZodType, string> {
  if (!isRecord(definition)) return failure(`its ${at} must be an object with a "type"`);
  const choices: unknown = definition["enum"];
  if (Array.isArray(choices)) {
    const strings = choices.filter((choice) => typeof choice === "string");
    const numbers = choices.filter((choice) => typeof choice === "number");
    if (choices.length > 0 && strings.length === choices.length) return success(z.enum(strings));
    if (choices.length > 0 && numbers.length === choices.length) return success(z.literal(numbers));
    return failure(`its ${at}.enum must list strings or numbers`);
  }
  switch (definition["type"]) {
    case "string":
      return success(z.string());
    case "number":
      return success(z.number());
    case "integer":
      return success(z.int());
    case "boolean":
      return success(z.boolean());
    case "array": {
      const items = valueSchemaOf(definition["items"], `${at}.items`);
      return items.success ? success(z.array(items.data)) : items;
    }
    case "object": {
      const shape = shapeOf(definition["properties"], `${at}.properties`);
      return shape.success ? success(strictObject(shape.data)) : shape;
    }
    default:
      return failure(`its ${at}.type must be string, number, integer, boolean, array or object`);
  }
}
