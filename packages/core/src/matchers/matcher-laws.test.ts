import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../__fixtures__/draws.js";
import { isRecord } from "../values/json.js";
import { matchValue, parseMatcher } from "./parse-matcher.js";
import { operators } from "./registry.js";

const numRuns = draws({ brief: 300, full: 20_000 });

/** What a JSON file would hold of it: no -0, ordinary prototypes, `__proto__` as a key like any other. */
const asRead = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const anyJson = fc.jsonValue({ maxDepth: 4 }).map(asRead);

function hasOperatorKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasOperatorKey);
  return (
    isRecord(value) && Object.entries(value).some(([key, member]) => key.startsWith("$") || hasOperatorKey(member))
  );
}

/** JSON without keys that would be operators. */
const plainJson = anyJson.filter((value) => !hasOperatorKey(value));
const plainObject = fc
  .dictionary(fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString")), plainJson)
  .map(asRead)
  .filter(isRecord)
  .filter((value) => !hasOperatorKey(value));

/** Small values, so that two of them are equal now and then. */
const smallJson = fc
  .oneof(
    fc.constantFrom(0, 1, "", "a", null, true),
    fc.array(fc.constantFrom(0, 1, "a"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b", "__proto__"), fc.constantFrom(0, 1), { maxKeys: 2 }),
  )
  .map(asRead);

const passes = (matcher: unknown, value: unknown): boolean => matchValue(matcher, value).pass;

const someMatcher = fc.oneof(
  smallJson,
  fc.constantFrom(
    { $gt: 0 },
    { $type: "string" },
    { $contains: "a" },
    { $length: 1 },
    { a: { $absent: true } },
    { $optional: 1 },
    { $every: 0 },
    { $includes: 1 },
  ),
);

describe("the laws of matchers", () => {
  it("every JSON value matches itself", () => {
    fc.assert(fc.property(plainJson, (value) => passes(value, value)));
    fc.assert(fc.property(plainObject, (value) => passes(value, value)));
  });

  it("$literal matches exactly what is deeply equal", () => {
    fc.assert(fc.property(anyJson, (value) => passes({ $literal: value }, value)));
    fc.assert(
      fc.property(smallJson, smallJson, (a, b) => passes({ $literal: a }, b) === isDeepStrictEqual(a, b)),
      { numRuns },
    );
  });

  it("$exact matches exactly what is deeply equal", () => {
    fc.assert(
      fc.property(smallJson, smallJson, (a, b) => passes({ $exact: a }, b) === isDeepStrictEqual(a, b)),
      { numRuns },
    );
    fc.assert(fc.property(plainObject, plainJson, (a, b) => passes({ $exact: a }, b) === isDeepStrictEqual(a, b)));
  });

  it("$not inverts, for absence too", () => {
    fc.assert(
      fc.property(
        someMatcher,
        fc.option(smallJson, { nil: undefined }),
        (matcher, value) => passes({ $not: matcher }, value) !== passes(matcher, value),
      ),
      { numRuns },
    );
  });

  it("$one_of and $all_of are or and and", () => {
    fc.assert(
      fc.property(someMatcher, someMatcher, smallJson, (a, b, value) => {
        expect(passes({ $one_of: [a, b] }, value)).toBe(passes(a, value) || passes(b, value));
        expect(passes({ $all_of: [a, b] }, value)).toBe(passes(a, value) && passes(b, value));
      }),
    );
  });

  it("$unordered does not care for the order of either side", () => {
    fc.assert(
      fc.property(
        fc.array(someMatcher, { maxLength: 5 }),
        fc.array(smallJson, { maxLength: 5 }),
        fc.func(fc.integer()),
        (matchers, values, order) => {
          const shuffled = <T>(items: readonly T[]): T[] =>
            items
              .map((item, index) => ({ item, rank: order(index) }))
              .toSorted((a, b) => a.rank - b.rank)
              .map(({ item }) => item);
          const verdict = passes({ $unordered: matchers }, values);
          expect(passes({ $unordered: shuffled(matchers) }, values)).toBe(verdict);
          expect(passes({ $unordered: matchers }, shuffled(values))).toBe(verdict);
        },
      ),
    );
    fc.assert(fc.property(fc.array(plainJson), (values) => passes({ $unordered: values.toReversed() }, values)));
  });

  it("further keys never break a plain object", () => {
    fc.assert(
      fc.property(plainObject, plainObject, (wanted, further) =>
        passes(wanted, Object.fromEntries([...Object.entries(further), ...Object.entries(wanted)])),
      ),
    );
  });

  it("parsing never throws, and a compiled matcher never throws on any value", () => {
    const operatorKey = fc.constantFrom(...Object.keys(operators), "$flags", "$tolerance", "$nope", "a");
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        smallJson,
        fc.constantFrom("^a", "(", 2, -1, true),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(operatorKey, tie("tree"), { maxKeys: 2 }),
      ),
    }));
    fc.assert(
      fc.property(tree, anyJson, (raw, value) => {
        const parsed = parseMatcher(raw);
        if (!parsed.success) {
          expect(parsed.error.length).toBeGreaterThan(0);
          return;
        }
        const result = parsed.data.match(value);
        expect(result.pass || result.mismatches.length > 0).toBe(true);
        expect(parsed.data.describe().length).toBeLessThanOrEqual(120);
      }),
      { numRuns },
    );
  });

  it("an explanation comes with every rejection and with no acceptance", () => {
    fc.assert(
      fc.property(someMatcher, smallJson, (matcher, value) => {
        const result = matchValue({ $all_of: [{ $any: true }, matcher] }, value);
        expect(result.pass).toBe(passes(matcher, value));
      }),
    );
  });
});
