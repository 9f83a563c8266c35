import { failure, success, type Result } from "../result.js";
import type { SchemaProblem } from "../errors/schema-problem.js";
import { lacksAll, when } from "../schema-parts/key-rules.js";
import { isRecord, type JsonObject, type JsonValue } from "../values/json.js";
import { didYouMean } from "../values/nearest-name.js";
import { toJsonValue } from "../values/to-json.js";

/** What every short parameter definition may say. */
interface ParamCommon {
  description?: string;
  /** False for a parameter that may be left out; one with a `default` may be, too. */
  required?: boolean;
}

/** The short definition of one parameter. */
export type ParamDefinition =
  | (ParamCommon & { type: "string"; enum?: readonly string[]; default?: string })
  | (ParamCommon & { type: "number" | "integer"; enum?: readonly number[]; default?: number })
  | (ParamCommon & { type: "boolean"; default?: boolean })
  | (ParamCommon & { type: "array"; items: ParamDefinition; default?: readonly unknown[] })
  | (ParamCommon & { type: "object"; properties: ParamDefinitions; default?: Readonly<Record<string, unknown>> });

/** The parameters of a tool, by their names. */
export type ParamDefinitions = Readonly<Record<string, ParamDefinition>>;

type ValueOf<P extends ParamDefinition> = P extends { enum: readonly (infer Choice)[] }
  ? Choice
  : P extends { type: "string" }
    ? string
    : P extends { type: "number" | "integer" }
      ? number
      : P extends { type: "boolean" }
        ? boolean
        : P extends { type: "array"; items: infer Item extends ParamDefinition }
          ? ValueOf<Item>[]
          : P extends { properties: infer Members extends ParamDefinitions }
            ? ArgsOf<Members>
            : unknown;

/** Names of the parameters that may be missing when the tool is called: not required, and without a default. */
type OptionalNames<P extends ParamDefinitions> = {
  [Name in keyof P]: P[Name] extends { default: unknown } ? never : P[Name] extends { required: false } ? Name : never;
}[keyof P];

/** The arguments of a tool with these parameters, as its function gets them: defaults are filled in. */
export type ArgsOf<P extends ParamDefinitions> = {
  [Name in Exclude<keyof P, OptionalNames<P>>]: ValueOf<P[Name]>;
} & { [Name in OptionalNames<P>]?: ValueOf<P[Name]> };

/** The JSON Schema of a mapping with these parameters and no others. */
export function paramsToSchema(params: ParamDefinitions): JsonObject {
  const entries = Object.entries(params);
  const required = entries.filter(([, param]) => isRequired(param)).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, param]) => [name, paramToSchema(param)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

function isRequired(param: ParamDefinition): boolean {
  return param.required !== false && param.default === undefined;
}

function paramToSchema(param: ParamDefinition): JsonObject {
  const schema: JsonObject = param.type === "object" ? paramsToSchema(param.properties) : { type: param.type };
  if (param.description !== undefined) schema["description"] = param.description;
  if ("enum" in param && param.enum !== undefined) schema["enum"] = [...param.enum];
  if (param.type === "array") schema["items"] = paramToSchema(param.items);
  if (param.default !== undefined) schema["default"] = toJsonValue(param.default);
  return schema;
}

const types = ["string", "number", "integer", "boolean", "array", "object"];
const schemaKeys = ["properties", "$ref", "allOf", "anyOf", "oneOf"];

/** Whether parameters are a JSON Schema rather than short. Without any key they are one that accepts everything. */
function isJsonSchema(written: JsonObject): boolean {
  if (written["type"] === "object" || Object.keys(written).length === 0) return true;
  return schemaKeys.some((key) => Object.hasOwn(written, key));
}

const typeForm: JsonObject = { type: "string", pattern: `^(${types.join("|")})(\\[\\])?\\??$` };

/** What editors know of parameters. Where they are a JSON Schema, they are left alone. */
export const parameterForms: JsonObject = {
  type: "object",
  ...when(
    lacksAll("type", ...schemaKeys),
    {
      additionalProperties: when({ type: "string" }, typeForm, {
        type: "object",
        properties: { description: { type: "string", description: "What it is, as the model reads it" } },
      }),
    },
    when(
      { properties: { type: { type: "string" } }, required: ["type"] },
      { properties: { type: { const: "object" } } },
    ),
  ),
};

/**
 * The JSON Schema that short parameters mean, such as `{ order_id: string, amount: { type: number, minimum: 0 } }`. Each
 * is required unless it says `required: false`, has a default, or its type ends with `?`; there are no others.
 */
export function readParameters(written: JsonObject): Result<JsonObject, readonly SchemaProblem[]> {
  if (isJsonSchema(written)) return success(written);
  const problems: SchemaProblem[] = [];
  if (Object.hasOwn(written, "type")) {
    const message = 'A parameter named "type" needs the long form';
    const hint = "Write { type: object, properties: { type: { type: string } }, required: [type] }";
    return failure([{ path: ["type"], message, hint, atKey: true }]);
  }
  const schema = readMembers(written, [], problems);
  return problems.length > 0 ? failure(problems) : success(schema);
}

type Path = SchemaProblem["path"];

function readMembers(members: JsonObject, path: Path, problems: SchemaProblem[]): JsonObject {
  const read = Object.entries(members).map(
    ([name, one]) => [name, readMember(one, [...path, name], problems)] as const,
  );
  const required = read.filter(([, { isOptional }]) => !isOptional).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(read.map(([name, { schema }]) => [name, schema])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

interface Member {
  schema: JsonObject;
  isOptional: boolean;
}

function readMember(written: JsonValue, path: Path, problems: SchemaProblem[]): Member {
  if (typeof written === "string") return readType(written, path, problems);
  if (!isObject(written)) {
    const hint = "Write a type, such as string, or an object with a type";
    problems.push({ path, message: `The parameter "${path.at(-1) ?? ""}" is not valid`, hint });
    return { schema: {}, isOptional: false };
  }
  const { type, required, items, properties, ...others } = written;
  const isOptional = required === false || written["default"] !== undefined;
  if (Array.isArray(required) || schemaKeys.some((key) => key !== "properties" && Object.hasOwn(written, key))) {
    // It says what a JSON Schema says.
    return { schema: written, isOptional };
  }
  if (typeof type !== "string") {
    const hint = `Add type: one of ${types.join(", ")}. If this is a JSON Schema, add type: object at its top`;
    problems.push({ path, message: `The parameter "${path.at(-1) ?? ""}" has no type`, hint });
    return { schema: {}, isOptional };
  }
  const named = readType(type, [...path, "type"], problems);
  const schema: JsonObject = isObject(properties)
    ? readMembers(properties, [...path, "properties"], problems)
    : { ...named.schema };
  if (items !== undefined) schema["items"] = readMember(items, [...path, "items"], problems).schema;
  return { schema: { ...schema, ...others }, isOptional: isOptional || named.isOptional };
}

/** `string`, `string?` that may be left out, `string[]`, or both: `string[]?`. */
function readType(written: string, path: Path, problems: SchemaProblem[]): Member {
  const [, name = "", list = "", optional = ""] = /^(.*?)(\[\])?(\?)?$/.exec(written.trim()) ?? [];
  if (!types.includes(name)) {
    const hint =
      didYouMean(name, types) ?? `Types are ${types.join(", ")}; string? may be left out, string[] is a list`;
    problems.push({ path, message: `"${written}" is not a type of a parameter`, hint });
  }
  const schema: JsonObject = list === "" ? { type: name } : { type: "array", items: { type: name } };
  return { schema, isOptional: optional !== "" };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return isRecord(value);
}
