import { isRecord, type JsonObject } from "../../values/json.js";
import { toJsonValue } from "../../values/to-json.js";
import type { ParamDefinition, ParamDefinitions } from "./param-definition.js";

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

/** A copy of the arguments with the defaults of the parameters wherever none was given. */
export function fillDefaults(params: ParamDefinitions, args: unknown): unknown {
  if (!isRecord(args)) return args;
  const filled: Record<string, unknown> = { ...args };
  for (const [name, param] of Object.entries(params)) {
    if (!Object.hasOwn(args, name)) {
      if (param.default !== undefined) filled[name] = toJsonValue(param.default);
    } else filled[name] = fillMember(param, args[name]);
  }
  return filled;
}

function fillMember(param: ParamDefinition, value: unknown): unknown {
  if (param.type === "object") return fillDefaults(param.properties, value);
  if (param.type !== "array" || !Array.isArray(value)) return value;
  return value.map((item: unknown) => fillMember(param.items, item));
}
