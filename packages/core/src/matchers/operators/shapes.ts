import { compileSchema } from "../../json-schema/compile-schema.js";
import { isRecord, type JsonObject } from "../../values/json.js";
import { didYouMean } from "../../values/nearest-name.js";
import { wordsNode, type MatcherNode } from "../matcher-node.js";
import type { MatcherOperator } from "../operator.js";

const typeTests: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number" || typeof value === "bigint",
  integer: (value) => Number.isInteger(value) || typeof value === "bigint",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isRecord,
};

export const type: MatcherOperator = {
  summary: "A value of this JSON type (or `integer`), or of one of a list of types.",
  example: "string",
  compile: (operand, parser) => {
    const names: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
    // An unquoted null in YAML is the value null.
    const wanted = names.map((name) => (name === null ? "null" : name));
    const words: string[] = [];
    const tests: ((value: unknown) => boolean)[] = [];
    for (const name of wanted) {
      const test = typeof name === "string" && Object.hasOwn(typeTests, name) ? typeTests[name] : undefined;
      if (test === undefined || typeof name !== "string") {
        const known = Object.keys(typeTests);
        const hint = typeof name === "string" ? didYouMean(name, known) : undefined;
        return parser.problem(`$type takes ${known.join(", ")}`, hint === undefined ? {} : { hint });
      }
      words.push(name);
      tests.push(test);
    }
    if (tests.length === 0) return parser.problem("$type takes at least one type");
    return wordsNode({ $type: operand }, `of type ${words.join(" or ")}`, (value) => {
      for (const test of tests) if (test(value)) return true;
      return false;
    });
  },
};

export const schema: MatcherOperator = {
  summary: "What the JSON Schema accepts.",
  example: { type: "string" },
  compile: (operand, parser) => {
    if (!isJsonSchema(operand)) return parser.problem("$schema takes a JSON Schema");
    const compiled = compileSchema(operand);
    if (!compiled.success) return parser.problem(compiled.error.message);
    const validator = compiled.data;
    const words = "valid by its JSON Schema";
    const node: MatcherNode = {
      source: { $schema: operand },
      isPlain: false,
      accepts: (value) => value !== undefined && validator.validate(asNumber(value)).length === 0,
      explain: (value, report) => {
        if (value === undefined) return report.add(words, value);
        for (const violation of validator.validate(asNumber(value))) {
          report.addBelow(violation.path, violation.message, violation.actual);
        }
      },
      describe: () => words,
    };
    return node;
  },
};

export const date: MatcherOperator = {
  summary: "A string for the same instant; UTC if it has no offset.",
  example: "2026-03-01",
  compile: (operand, parser) => {
    const wanted = instantOf(operand);
    if (wanted === null)
      return parser.problem("$date takes an ISO 8601 date such as 2026-01-31 or 2026-01-31T09:30:00Z");
    return wordsNode(
      { $date: operand },
      `the instant ${new Date(wanted).toISOString()}`,
      (value) => instantOf(value) === wanted,
    );
  },
};

const isoPattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(?:(Z)|([+-])(\d{2}):?(\d{2})?)?)?$/i;

/**
 * Milliseconds since the epoch. Without an offset it is UTC, as a date alone is in ECMAScript, so that a verdict does
 * not depend on the time zone of the machine.
 */
function instantOf(value: unknown): number | null {
  const found = typeof value === "string" ? isoPattern.exec(value.trim()) : null;
  if (found === null) return null;
  const part = (index: number): number => Number(found[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const isReal = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  const isOnClock = (hour < 24 || (hour === 24 && minute === 0 && second === 0)) && minute < 60 && second <= 60;
  if (!isReal || !isOnClock || part(10) > 23 || part(11) > 59) return null;
  const fractionMs = Math.floor(Number(`0.${found[7] ?? "0"}`) * 1_000);
  const offsetMs = (part(10) * 60 + part(11)) * 60_000 * (found[9] === "-" ? -1 : 1);
  return Date.UTC(year, month - 1, day, hour, minute, second, fractionMs) - offsetMs;
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** A JSON Schema knows numbers only. */
function asNumber(value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}

function isJsonSchema(value: unknown): value is JsonObject | boolean {
  return typeof value === "boolean" || isRecord(value);
}
