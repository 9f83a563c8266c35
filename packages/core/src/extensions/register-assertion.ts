import { callCheck } from "../assertions/module/call-check.js";
import { commonKeys } from "../assertions/common-options.js";
import { defineAssertion, type AssertionDefinition } from "../assertions/define-assertion.js";
import { assertionTypes } from "../assertions/registry.js";
import { failure, success, type Result } from "../result.js";
import { strictObject } from "../schema-parts/strict-object.js";
import * as z from "../values/deferred-zod.js";
import { isRecord } from "../values/json.js";
import type { FoundExtension } from "./extension-action.js";

/** Keys that mean something else in an entry of `assert:`. */
const takenKeys: ReadonlySet<string> = new Set(["type", "all_of", "any_of", "at_least", "of", ...commonKeys]);

/**
 * The assertion type that an export of a module declares, with a schema made of its options. It is evaluated in the
 * worker. Fails with what is wrong with the declaration.
 */
export function registerAssertion(
  file: string,
  { exportName, declared }: FoundExtension,
): Result<AssertionDefinition, string> {
  const { type, summary, options } = declared;
  if (typeof type !== "string" || !/^[a-z][a-z0-9_]*$/.test(type)) {
    return failure(
      `its "type" must be lower case letters, digits and _, but it is ${JSON.stringify(type) ?? "missing"}`,
    );
  }
  if (assertionTypes.includes(type)) return failure(`"${type}" is the type of a built-in assertion`);
  const schema = schemaOf(options, "options");
  if (!schema.success) return schema;
  const taken = Object.keys(isRecord(options) ? options : {}).find((key) => takenKeys.has(key));
  if (taken !== undefined) return failure(`its option "${taken}" has the name of a key that every assertion has`);
  return success(
    defineAssertion<unknown>({
      type,
      summary: typeof summary === "string" ? summary : "",
      example: `{ type: ${type} }`,
      kind: "deterministic",
      options: schema.data,
      // The case has another identity once the module has changed.
      references: () => [{ kind: "module", file, path: ["type"] }],
      evaluate: (given, trial, context) =>
        callCheck({ type, file, exportName, options: given, name: `The assertion "${type}"` }, trial, context),
    }),
  );
}

/** A strict object with these options. The definitions come from a module, so they may be anything. */
function schemaOf(definitions: unknown, at: string): Result<z.ZodType, string> {
  if (!isRecord(definitions)) return failure(`its ${at} must be an object of definitions`);
  const shape: Record<string, z.ZodType> = {};
  for (const [name, definition] of Object.entries(definitions)) {
    const place = `${at}.${name}`;
    const schema = valueSchemaOf(definition, place);
    if (!schema.success) return schema;
    shape[name] = optionOf(schema.data, isRecord(definition) ? definition : {});
  }
  return success(strictObject(shape));
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
    case "object":
      return schemaOf(definition["properties"], `${at}.properties`);
    default:
      return failure(`its ${at}.type must be string, number, integer, boolean, array or object`);
  }
}
