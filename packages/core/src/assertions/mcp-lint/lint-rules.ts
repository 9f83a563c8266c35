import { compileSchema } from "../../json-schema/compile-schema.js";
import { isList, isRecord, textOf, type JsonObject } from "../../values/json.js";
import { toJsonValue } from "../../values/to-json.js";

/** A tool as its server lists it; what is there may be anything. */
export type ListedTool = Readonly<Record<string, unknown>>;

interface LintContext {
  /** All tools of the server. */
  tools: readonly ListedTool[];
  /** Longest description, in characters. */
  maxDescription: number;
}

type LintRule = (tool: ListedTool, context: LintContext) => readonly string[];

/** Every rule, and what it finds wrong with one tool. Their meaning is in docs/mcp-tools.md. */
export const lintRules = {
  missing_description: (tool) => (descriptionOf(tool) === "" ? ["it has no description"] : []),
  long_description: (tool, { maxDescription }) => {
    const { length } = descriptionOf(tool);
    return length > maxDescription ? [`its description has ${length} characters, more than ${maxDescription}`] : [];
  },
  missing_parameter_description: (tool) =>
    parametersOf(tool)
      .filter(([, schema]) => !isRecord(schema) || textOf(schema["description"]).trim() === "")
      .map(([name]) => `parameter "${name}" has no description`),
  untyped_parameter: (tool) =>
    parametersOf(tool)
      .filter(([, schema]) => !isRecord(schema) || !typeKeys.some((key) => schema[key] !== undefined))
      .map(([name]) => `parameter "${name}" has no type`),
  unknown_required: (tool) => {
    const known = new Set(parametersOf(tool).map(([name]) => name));
    const { inputSchema } = tool;
    const required = isRecord(inputSchema) && isList(inputSchema["required"]) ? inputSchema["required"] : [];
    return required
      .filter((name) => !known.has(String(name)))
      .map((name) => `"${String(name)}" is required, but is not in properties`);
  },
  invalid_schema: (tool) => [
    ...schemaProblems("inputSchema", tool["inputSchema"], true),
    ...schemaProblems("outputSchema", tool["outputSchema"], false),
  ],
  invalid_name: (tool) =>
    /^[\w-]{1,64}$/.test(nameOf(tool))
      ? []
      : ["its name is not 1 to 64 letters, digits, _ and -, which some models require"],
  duplicate_name: (tool, { tools }) =>
    tools.some((other) => other !== tool && nameOf(other) === nameOf(tool)) ? ["another tool has the same name"] : [],
  similar_name: (tool, { tools }) =>
    earlier(tool, tools)
      .filter((other) => nameOf(other) !== nameOf(tool) && wordsOf(nameOf(other)) === wordsOf(nameOf(tool)))
      .map((other) => `its name has the same words as "${nameOf(other)}"`),
  similar_description: (tool, { tools }) =>
    earlier(tool, tools)
      .filter((other) => similarity(descriptionOf(other), descriptionOf(tool)) >= mostSimilar)
      .map((other) => `its description is nearly that of "${nameOf(other)}"`),
} satisfies Record<string, LintRule>;

export type LintRuleName = keyof typeof lintRules;

/** Descriptions that share this part of their words leave a model to guess which tool to take. */
const mostSimilar = 0.9;
const typeKeys = ["type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"];

export function nameOf({ name }: ListedTool): string {
  return textOf(name);
}

function descriptionOf({ description }: ListedTool): string {
  return textOf(description).trim();
}

function parametersOf({ inputSchema }: ListedTool): readonly (readonly [string, unknown])[] {
  const properties = isRecord(inputSchema) ? inputSchema["properties"] : undefined;
  return isRecord(properties) ? Object.entries(properties) : [];
}

function schemaProblems(key: string, schema: unknown, isNeeded: boolean): readonly string[] {
  if (schema === undefined && !isNeeded) return [];
  const read = toJsonValue(schema ?? null);
  if (!isRecord(read) || read["type"] !== "object") return [`its ${key} is not the schema of an object`];
  const compiled = compileSchema(read satisfies JsonObject);
  return compiled.success ? [] : [`its ${key} cannot be used: ${compiled.error.message}`];
}

/** Those listed before it, so each pair is found once. */
function earlier(tool: ListedTool, tools: readonly ListedTool[]): readonly ListedTool[] {
  return tools.slice(0, tools.indexOf(tool));
}

/** The words of a name in order of the alphabet, without case and the s of a plural. */
function wordsOf(name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "");
  return words
    .map((word) => word.replace(/(?<=..)s$/, ""))
    .toSorted()
    .join(" ");
}

/** The share of words that two descriptions have in common. */
function similarity(one: string, other: string): number {
  const [first, second] = [one, other].map((text) => new Set(text.toLowerCase().match(/[\p{L}\d]+/gu) ?? []));
  if (first === undefined || second === undefined || first.size === 0 || second.size === 0) return 0;
  const common = [...first].filter((word) => second.has(word)).length;
  return common / (first.size + second.size - common);
}
