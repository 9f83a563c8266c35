import type { JsonObject, JsonValue } from "../values/json.js";
import { leaf, type Shape } from "./shape.js";

const isText = (stored: unknown): boolean => typeof stored === "string";
const isNumber = (stored: unknown): boolean => typeof stored === "number";
const isCount = (stored: unknown): boolean => Number.isInteger(stored);

/** Reported as it is. */
function plain<T extends JsonValue>(
  kind: JsonValue,
  schema: JsonObject,
  problem: string,
  accepts: (stored: unknown) => boolean,
): Shape<T> {
  return leaf<T>(kind, schema, problem, accepts, (value) => value);
}

function numeric(schema: JsonObject, round: (value: number) => number): Shape<number> {
  return leaf("number", schema, "must be a number", isNumber, (value) =>
    Number.isFinite(value) ? round(value) : null,
  );
}

const asItIs = (value: number): number => value;

/** Text that comes from outside, in part at least: masked in reports. */
export const text: Shape<string> = leaf("text", { type: "string" }, "must be a string", isText, (value, view) =>
  view.text(value),
);
/** Text that KindLM writes itself, such as an id or a date. */
export const word: Shape<string> = plain("text", { type: "string" }, "must be a string", isText);
/** ISO 8601. */
export const moment: Shape<string> = plain("text", { type: "string", format: "date-time" }, "must be a string", isText);
export const flag: Shape<boolean> = plain(
  "flag",
  { type: "boolean" },
  "must be true or false",
  (stored) => typeof stored === "boolean",
);

export const count: Shape<number> = plain("count", { type: "integer", minimum: 0 }, "must be a whole number", isCount);
/** Of things that are counted from 1. */
export const ordinal: Shape<number> = plain(
  "count",
  { type: "integer", minimum: 1 },
  "must be a whole number",
  isCount,
);
export const integer: Shape<number> = plain("count", { type: "integer" }, "must be a whole number", isCount);
/** As it was written in a config. */
export const amount: Shape<number> = numeric({ type: "number", minimum: 0 }, asItIs);
/** From 0 to 1, as it was written in a config. */
export const share: Shape<number> = numeric({ type: "number", minimum: 0, maximum: 1 }, asItIs);
export const number: Shape<number> = numeric({ type: "number" }, asItIs);

/** US dollars to a hundred-millionth: a single cached token still counts. */
export const usd: Shape<number> = numeric({ type: "number", minimum: 0 }, (value) => rounded(value, 8));
/** Milliseconds to a microsecond. */
export const ms: Shape<number> = numeric({ type: "number", minimum: 0 }, (value) => rounded(value, 3));
/** Rates and scores. */
export const rate: Shape<number> = numeric({ type: "number", minimum: 0, maximum: 1 }, roundedRate);
export const rateDifference: Shape<number> = numeric({ type: "number", minimum: -1, maximum: 1 }, roundedRate);
/** Calls per second and the like. */
export const pace: Shape<number> = numeric({ type: "number", minimum: 0 }, roundedRate);
/** Small ones differ by their magnitude. */
export const pValue: Shape<number> = numeric({ type: "number", minimum: 0, maximum: 1 }, (value) =>
  Number(value.toPrecision(6)),
);

/** Whatever JSON can carry, which nobody looks into; also nothing. */
export const anything: Shape<unknown> = leaf(
  "anything",
  {},
  "",
  () => true,
  (value, view) => view.value(value),
);

/** The same of a known type. */
export const json: Shape<JsonValue> = leaf(
  "anything",
  {},
  "",
  () => true,
  (value, view) => view.value(value),
);

export function literal<const T extends string | number | boolean>(value: T): Shape<T> {
  return plain(["literal", value], { const: value }, `must be ${JSON.stringify(value)}`, (stored) => stored === value);
}

export function oneOf<const T extends string | number>(values: readonly T[]): Shape<T> {
  const known: ReadonlySet<unknown> = new Set(values);
  const problem = `must be one of ${values.map((value) => JSON.stringify(value)).join(", ")}`;
  return plain(["one of", ...values], { enum: [...values] }, problem, (stored) => known.has(stored));
}

function roundedRate(value: number): number {
  return rounded(value, 6);
}

function rounded(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
