import { describe, expect, it } from "vitest";
import type { Matcher } from "./matcher.js";
import { modifierOwners, operators } from "./registry.js";
import { parseMatcher } from "./parse-matcher.js";

function compiled(raw: unknown): Matcher {
  const parsed = parseMatcher(raw);
  if (!parsed.success) throw new Error(JSON.stringify(parsed.error));
  return parsed.data;
}

const problemsIn = (raw: unknown): unknown => {
  const parsed = parseMatcher(raw);
  return parsed.success ? [] : parsed.error.map(({ path, message }) => [path.join("."), message]);
};

describe("parseMatcher", () => {
  it("reports all problems at once, with their places and hints", () => {
    const raw = { a: { $regx: "x", $flags: "i" }, b: [{ $gt: 1, c: 2 }], d: { $not: { $regex: "(" } } };
    const parsed = parseMatcher(raw);
    expect(parsed).toEqual({
      success: false,
      error: [
        { path: ["a", "$regx"], message: 'Unknown operator "$regx"', hint: 'Did you mean "$regex"?', atKey: true },
        {
          path: ["b", 0, "c"],
          message: 'Operators and plain keys cannot be mixed: "c" is next to $gt',
          hint: "Write $$gt for a key named $gt",
          atKey: true,
        },
        { path: ["d", "$not", "$regex"], message: "The regular expression does not compile: /(/: Unterminated group" },
      ],
    });
  });

  it.each([
    [{ $any: 1 }, "$any", "$any takes true"],
    [{ $absent: "yes" }, "$absent", "$absent takes true or false"],
    [{ $one_of: "a" }, "$one_of", "$one_of takes a list"],
    [{ $all_of: [] }, "$all_of", "$all_of takes at least one entry"],
    [{ $type: "text" }, "$type", "$type takes string, number, integer, boolean, null, array, object"],
    [{ $type: [] }, "$type", "$type takes at least one type"],
    [{ $regex: 1 }, "$regex", "$regex takes a string"],
    [{ $regex: "a", $flags: 1 }, "$flags", "$flags takes a string such as i"],
    [{ $flags: "i" }, "$flags", "$flags needs $regex next to it"],
    [{ $contains: 1 }, "$contains", "$contains takes a string"],
    [{ $starts_with: null }, "$starts_with", "$starts_with takes a string"],
    [{ $ends_with: [] }, "$ends_with", "$ends_with takes a string"],
    [{ $ignore_case: {} }, "$ignore_case", "$ignore_case takes a string"],
    [{ $normalized: ["a"] }, "$normalized", "$normalized takes a string"],
    [{ $normalized: "a", $ignoring: 1 }, "$ignoring", '$ignoring takes the signs to leave out, such as " ,-"'],
    [{ $ignoring: " " }, "$ignoring", "$ignoring needs $normalized next to it"],
    [{ $integer: 1.5 }, "$integer", '$integer takes the digits of an integer in quotes, such as "9007199254740993"'],
    [{ $integer: "1e3" }, "$integer", '$integer takes the digits of an integer in quotes, such as "9007199254740993"'],
    [
      { $integer: 2 ** 60 },
      "$integer",
      '$integer takes the digits of an integer in quotes, such as "9007199254740993"',
    ],
    [{ $gt: "1" }, "$gt", "$gt takes a number"],
    [{ $gte: null }, "$gte", "$gte takes a number"],
    [{ $lt: Number.NaN }, "$lt", "$lt takes a number"],
    [{ $lte: [1] }, "$lte", "$lte takes a number"],
    [{ $approx: "1" }, "$approx", "$approx takes a number"],
    [{ $approx: 1, $tolerance: -1 }, "$tolerance", "$tolerance takes a number of at least 0"],
    [{ $tolerance: 1 }, "$tolerance", "$tolerance needs $approx next to it"],
    [{ $unordered: {} }, "$unordered", "$unordered takes a list"],
    [{ $keys: ["a", 1] }, "$keys", "$keys takes a list of strings"],
    [{ $schema: "x" }, "$schema", "$schema takes a JSON Schema"],
    [{ $date: "tomorrow" }, "$date", "$date takes an ISO 8601 date such as 2026-01-31 or 2026-01-31T09:30:00Z"],
    [{ $date: "2026-02-30" }, "$date", "$date takes an ISO 8601 date such as 2026-01-31 or 2026-01-31T09:30:00Z"],
    [{ a: () => 1 }, "a", "A matcher is made of JSON data; a function is not"],
    [{ a: 1n }, "a", "A matcher is made of JSON data; a bigint is not"],
    [{ a: new Map() }, "a", "A matcher is made of JSON data; this is not"],
  ])("refuses %o", (raw, path, message) => {
    expect(problemsIn(raw)).toEqual([[path, message]]);
  });

  it("finds problems inside the operands of every operator that takes matchers", () => {
    const bad = { $nope: 1 };
    for (const name of ["$not", "$optional", "$exact", "$length", "$every", "$includes"]) {
      expect(problemsIn({ [name]: bad })).toEqual([[`${name}.$nope`, 'Unknown operator "$nope"']]);
    }
    for (const name of ["$one_of", "$all_of", "$unordered"]) {
      expect(problemsIn({ [name]: [1, bad] })).toEqual([[`${name}.1.$nope`, 'Unknown operator "$nope"']]);
    }
    expect(problemsIn({ $literal: bad })).toEqual([]);
  });

  it("names what is wrong with an inline schema", () => {
    expect(problemsIn({ $schema: { type: "strng" } })).toEqual([
      ["$schema", expect.stringMatching(/^The JSON Schema is not valid: type must be one of/)],
    ]);
  });

  it("refuses a matcher that is nested without end rather than overflow", () => {
    const ring: unknown[] = [];
    ring.push(ring);
    expect(problemsIn(ring)).toEqual([[expect.any(String), "A matcher may be 200 levels deep at most"]]);
  });

  it("describes itself on one line", () => {
    expect(compiled({ order_id: { $regex: "^ORD-" }, n: 1 }).describe()).toBe("{order_id: matching /^ORD-/, n: 1}");
    expect(compiled({ order_id: "ORD-1" }).describe()).toBe('{order_id: "ORD-1"}');
    expect(compiled({ "a b": { $gte: 1, $lt: 5 } }).describe()).toBe('{"a b": at least 1 and less than 5}');
    expect(compiled({ $exact: { a: 1 } }).describe()).toBe("exactly {a: 1}");
    expect(compiled([{ $optional: { $date: "2026-01-01" } }]).describe()).toBe(
      "[absent or the instant 2026-01-01T00:00:00.000Z]",
    );
    const long = compiled(Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, { $gt: 1 }])));
    expect(long.describe(60).length).toBeLessThanOrEqual(60);
    expect(long.describe(60)).toMatch(/…/);
  });

  it("keeps what was written, and answers the same each time", () => {
    const raw = { a: { $regex: "x" } };
    const matcher = compiled(raw);
    expect(matcher.source).toBe(raw);
    expect(matcher.match({ a: "x" })).toBe(matcher.match({ a: "xx" }));
    expect(matcher.match({ a: "y" })).toEqual(matcher.match({ a: "y" }));
  });

  it("knows every operator of the specification", () => {
    expect([...Object.keys(operators), ...modifierOwners.keys()].toSorted()).toEqual(
      (
        "$any $absent $optional $exact $literal $one_of $all_of $not $type $regex $flags $contains $starts_with $ends_with " +
        "$ignore_case $normalized $gt $gte $lt $lte $approx $tolerance $integer $ignoring $length $unordered $includes $every $schema $date $keys"
      )
        .split(" ")
        .toSorted(),
    );
  });
});
