import { anchorOf, inCode, linkTo } from "./markdown.js";

const json = (value) => inCode(JSON.stringify(value));

/** Any value of an assertion may be one; the page says so once. */
const placeholder = "#/definitions/placeholder";

/** What a value may be, in words; `sectionOf` gives the heading under which a nested mapping is described. */
export function describeType(schema, sectionOf = () => null) {
  if (schema === true || Object.keys(schema).length === 0) return "anything";
  if (schema.$ref !== undefined) return describeReference(schema.$ref.split("/").at(-1));
  if (schema.const !== undefined) return json(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(json).join(", ");
  // Beside keys of its own, such a list only says which of them exclude each other.
  const options = schema.properties === undefined ? (schema.anyOf ?? schema.oneOf) : undefined;
  if (options !== undefined) {
    const told = options.filter((option) => option.$ref !== placeholder);
    return [...new Set(told.map((option) => describeType(option, sectionOf)))].join(" or ");
  }
  if (schema.allOf !== undefined && schema.properties === undefined)
    return schema.allOf.map((part) => describeType(part, sectionOf)).join(" and ");
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  if (schema.type === "array") return `list of ${describeType(schema.items ?? true, sectionOf)}`;
  if (schema.type === "object") return describeMapping(schema, sectionOf);
  return `${schema.type ?? "anything"}${describeBounds(schema)}`;
}

/** Definitions have their section in config.md, assertions a page of their own. */
function describeReference(name) {
  if (isUnnamed(name)) return "any data";
  return name === "assertion" ? "[assertion](assertions.md)" : `[${name}](config.md#${anchorOf(name)})`;
}

/** Definitions that nobody named come from recursive JSON values. */
export function isUnnamed(name) {
  return name.startsWith("__");
}

function describeMapping(schema, sectionOf) {
  if (schema.properties !== undefined) {
    const section = sectionOf(schema);
    if (section !== null) return linkTo(section);
    return `mapping with ${Object.keys(schema.properties).map(inCode).join(", ")}`;
  }
  const { additionalProperties } = schema;
  if (typeof additionalProperties !== "object" || Object.keys(additionalProperties).length === 0) return "mapping";
  return `mapping of ${describeType(additionalProperties, sectionOf)}`;
}

function describeBounds(schema) {
  const isSafe = (value) => value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const bounds = [];
  if (isSafe(schema.minimum)) bounds.push(`≥ ${schema.minimum}`);
  if (isSafe(schema.exclusiveMinimum)) bounds.push(`> ${schema.exclusiveMinimum}`);
  if (isSafe(schema.maximum)) bounds.push(`≤ ${schema.maximum}`);
  if (isSafe(schema.exclusiveMaximum)) bounds.push(`< ${schema.exclusiveMaximum}`);
  return bounds.length === 0 ? "" : ` ${bounds.join(", ")}`;
}

/** Rows of a table of keys: name, type, whether it must be there, description. */
export function keyRows(schema, sectionOf) {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, property]) => [
    `${inCode(name)}${required.has(name) ? " (needed)" : ""}`,
    describeType(property, sectionOf),
    property.description ?? "",
  ]);
}
