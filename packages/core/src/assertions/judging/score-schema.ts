import type { JsonObject } from "../../values/json.js";

const made = new Map<string, JsonObject>();

/**
 * The schema of a judge's reply: its reasoning, then a score from 0 to 1 under each of the names. The same object for the
 * same names, since a schema is compiled once per object.
 */
export function scoreSchema(names: readonly string[]): JsonObject {
  const key = names.join(",");
  const known = made.get(key) ?? schemaOf(names);
  made.set(key, known);
  return known;
}

function schemaOf(names: readonly string[]): JsonObject {
  const score: JsonObject = { type: "number", minimum: 0, maximum: 1 };
  return {
    type: "object",
    // The reasoning comes first, or it would defend a score that was not thought about.
    properties: { reasoning: { type: "string" }, ...Object.fromEntries(names.map((name) => [name, score])) },
    required: ["reasoning", ...names],
    additionalProperties: false,
  };
}

/** The same for the prompt. */
export function scoreReply(names: readonly string[]): string {
  const scores = names.map((name) => `, "${name}": <a number from 0 to 1>`).join("");
  return `{"reasoning": "<two to four sentences: what speaks for and against>"${scores}}`;
}
