import { describe, expect, it } from "vitest";
import { shortenDeadlines } from "../__fixtures__/shorten-deadlines.js";
import type { Matcher } from "./matcher.js";
import { modifierOwners, operators } from "./registry.js";
import { parseMatcher, matchValue } from "./parse-matcher.js";

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

type Row = [matcher: unknown, value: unknown];

const at = (matcher: unknown, value: unknown) => {
  const result = matchValue(matcher, value);
  return result.pass ? [] : result.mismatches.map(({ path, expected, actual }) => [path, expected, actual]);
};

describe("matchValue: what matches", () => {
  it.each<Row>([
    [1, 1.0],
    [null, null],
    ["a", "a"],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: { b: [1] } }, { a: { b: [1], c: 0 } }],
    [[], []],
    [undefined, undefined],
    [{ a: undefined }, {}],
    [{ $any: true }, null],
    [{ a: { $absent: true } }, {}],
    [{ a: { $absent: false } }, { a: null }],
    [{ a: { $optional: "x" } }, {}],
    [{ a: { $optional: "x" } }, { a: "x" }],
    [{ $exact: { a: { b: 1 } } }, { a: { b: 1 } }],
    [{ $exact: { a: { $gt: 1 } } }, { a: 2 }],
    [{ $literal: { $gt: 1 } }, { $gt: 1 }],
    [{ $one_of: ["a", { $type: "number" }] }, 3],
    [{ $all_of: [{ $gt: 1 }, { $lt: 3 }] }, 2],
    [{ $gt: 1, $lt: 3 }, 2],
    [{ $not: { $contains: "x" } }, "abc"],
    [{ a: { $not: 1 } }, {}],
    [{ $type: "integer" }, 2],
    [{ $type: ["string", null] }, null],
    [{ $type: "object" }, {}],
    [{ $type: "array" }, []],
    [{ $type: "boolean" }, false],
    [{ $regex: "RD-\\d" }, "ORD-1x"],
    [{ $regex: "ord", $flags: "i" }, "ORD"],
    [{ $contains: "liver" }, "delivered"],
    [{ $starts_with: "del" }, "delivered"],
    [{ $ends_with: "red" }, "delivered"],
    [{ $ignore_case: "STRASSE" }, "straße"],
    [{ $normalized: "New York, N.Y." }, " new-york_ny "],
    [{ $normalized: "it's 'so'" }, "It\u2019s \u201cso\u201d"],
    [{ $normalized: "2*3^4/5" }, "2 3 4 5"],
    [{ $normalized: "1.5 kg", $ignoring: " " }, "1.5KG"],
    [{ $normalized: "a-b]c\\d^e", $ignoring: "-]\\^" }, "ABCDE"],
    [{ $normalized: 'it\'s "so"', $ignoring: "'\"" }, "It\u2019s \u201cso\u201d".replaceAll("\u2019", "")],
    [{ $normalized: "Abc", $ignoring: "" }, "aBC"],
    [
      { $$filter: "a", $$$x: 1, top: { $gt: 3 } },
      { $filter: "a", $$x: 1, top: 4 },
    ],
    [{ $exact: { $$filter: { $contains: "a" } } }, { $filter: "cab" }],
    [{ $literal: { $$filter: 1 } }, { $$filter: 1 }],
    [{ $exact: { a: { $gt: 1 }, b: [{ $regex: "x" }] } }, { a: 2, b: ["xy"] }],
    [{ $gte: 3 }, 3],
    [{ $lte: 3 }, 3],
    [{ $approx: 0.3 }, 0.1 + 0.2],
    [{ $approx: 1e12 }, 1e12 + 100],
    [{ $approx: 5, $tolerance: 0.5 }, 5.5],
    [{ $approx: 0.1, $tolerance: 0.2 }, 0.3],
    [{ $length: 2 }, "a\u{1F600}"],
    [{ $length: { $gte: 1 } }, [1]],
    [{ $unordered: [{ $any: true }, 1] }, [1, 2]],
    [{ $unordered: [] }, []],
    [{ $includes: { id: 2 } }, [{ id: 1 }, { id: 2, x: 1 }]],
    [{ $every: { $gt: 0 } }, [1, 2]],
    [{ $every: 1 }, []],
    [{ $schema: { type: "string", format: "email" } }, "a@b.org"],
    [{ $date: "2026-03-01T10:00:00+02:00" }, "2026-03-01T08:00:00Z"],
    [{ $date: "2026-03-01" }, "2026-03-01T00:00:00.000Z"],
    [{ $date: "2026-03-01 08:00" }, "2026-03-01T08:00:00+0000"],
    [{ $keys: ["a", "b"] }, { b: 1, a: null }],
    [JSON.parse('{"__proto__": {"a": 1}}'), JSON.parse('{"__proto__": {"a": 1, "b": 2}}')],
    [{ constructor: "x" }, { constructor: "x" }],
  ])("%j matches %j", (matcher, value) => {
    expect(matchValue(matcher, value)).toEqual({ pass: true });
  });
});

describe("matchValue: what does not match, and where", () => {
  it.each<[matcher: unknown, value: unknown, ...mismatches: unknown[]]>([
    [1, "1", ["", 1, "1"]],
    [null, undefined, ["", null, undefined]],
    [{ a: null }, {}, ["a", null, undefined]],
    [{ a: { $absent: true } }, { a: null }, ["a", "absent", null]],
    [{ a: { $absent: false } }, {}, ["a", "any value", undefined]],
    [{ a: { $any: true } }, {}, ["a", "any value", undefined]],
    [{ a: undefined }, { a: 1 }, ["a", undefined, 1]],
    [{ a: 1, "odd key": [1, { b: 2 }] }, { a: 2, "odd key": [1, { b: 3 }] }, ["a", 1, 2], ['["odd key"][1].b', 2, 3]],
    [{ a: { b: 1 } }, { a: "x" }, ["a", { b: 1 }, "x"]],
    [{ a: { $gt: 1 } }, 5, ["", "{a: more than 1}", 5]],
    [[1, 2], [1], ["[1]", 2, undefined]],
    [[1, { $optional: 2 }], [1], ["[1]", "absent or 2", undefined]],
    [[1], [1, 2], ["[1]", "absent", 2]],
    [[1], { 0: 1 }, ["", [1], { 0: 1 }]],
    [{ a: 1 }, [1], ["", { a: 1 }, [1]]],
    [{ a: { $optional: "x" } }, { a: null }, ["a", "x", null]],
    [{ $exact: { a: { b: 1 } } }, { a: { b: 1, c: 2 } }, ["a.c", "absent", 2]],
    [{ $exact: { a: { $gt: 1 } } }, { a: 2, z: 1 }, ["z", "absent", 1]],
    [{ $literal: { $gt: 1 } }, 2, ["", { $gt: 1 }, 2]],
    [{ $one_of: ["a", { $gt: 2 }] }, 1, ["", 'one of "a", more than 2', 1]],
    [{ $all_of: [{ $gt: 1 }, { $lt: 3 }] }, 4, ["", "less than 3", 4]],
    [{ $gt: 1, $type: "integer" }, 0.5, ["", "more than 1", 0.5], ["", "of type integer", 0.5]],
    [{ $not: { $contains: "x" } }, "xyz", ["", 'not containing "x"', "xyz"]],
    [{ $type: ["string", "null"] }, 1, ["", "of type string or null", 1]],
    [{ $type: "number" }, "1", ["", "of type number", "1"]],
    [{ $type: "object" }, null, ["", "of type object", null]],
    [{ a: { $regex: "^ORD-", $flags: "i" } }, { a: "x" }, ["a", "matching /^ORD-/i", "x"]],
    [{ $regex: "1" }, 1, ["", "matching /1/", 1]],
    [{ $contains: "x" }, ["x"], ["", 'containing "x"', ["x"]]],
    [{ $starts_with: "b" }, "ab", ["", 'starting with "b"', "ab"]],
    [{ $ends_with: "a" }, "ab", ["", 'ending with "a"', "ab"]],
    [{ $ignore_case: "a" }, "b", ["", '"a" in any case', "b"]],
    [{ $normalized: "1.5", $ignoring: " " }, "15", ["", '"1.5" but for case and the signs " "', "15"]],
    [{ $$filter: "a", top: 1 }, { $filter: "b", top: 1 }, ["$filter", "a", "b"]],
    [{ $exact: { $$filter: 1 } }, { $filter: 1, $top: 2 }, ["$top", "absent", 2]],
    [{ $normalized: "a b" }, "a c", ["", '"a b" but for case, whitespace and punctuation', "a c"]],
    [{ $gt: 3 }, 3, ["", "more than 3", 3]],
    [{ $gte: 3 }, "4", ["", "at least 3", "4"]],
    [{ $lt: 3 }, 3, ["", "less than 3", 3]],
    [{ $lte: 3 }, null, ["", "at most 3", null]],
    [{ $approx: 1 }, 1.0001, ["", "about 1", 1.0001]],
    [{ $approx: 5, $tolerance: 0.5 }, 5.6, ["", "5 ± 0.5", 5.6]],
    [{ $length: { $gte: 2 } }, "a", ["", "of length at least 2", "a"]],
    [{ $length: 1 }, { a: 1 }, ["", "of length 1", { a: 1 }]],
    [{ x: { $unordered: [{ id: 1 }, { id: 2 }] } }, { x: [{ id: 2 }, { id: 3 }] }, ["x[1].id", 1, 3]],
    [{ $unordered: [1, 2] }, [2], ["", "an element 1", undefined]],
    [{ $unordered: [1] }, [2, 1], ["[0]", "absent", 2]],
    [{ $unordered: [1, 1] }, [1, 2], ["[1]", 1, 2]],
    [{ $unordered: [1, { $gt: 2 }] }, "x", ["", "in any order [1, more than 2]", "x"]],
    [{ $includes: { id: 2 } }, [{ id: 1 }], ["", "including {id: 2}", [{ id: 1 }]]],
    [{ $every: { $gt: 0 } }, [1, 0], ["[1]", "more than 0", 0]],
    [{ $every: 1 }, 1, ["", "a list with every element 1", 1]],
    [
      { a: { $schema: { properties: { b: { type: "string" } } } } },
      { a: { b: 1 } },
      ["a.b", "must be of type string, but is 1", 1],
    ],
    [{ a: { $schema: {} } }, {}, ["a", "valid by its JSON Schema", undefined]],
    [{ $date: "2026-03-01" }, "2026-03-02", ["", "the instant 2026-03-01T00:00:00.000Z", "2026-03-02"]],
    [{ $date: "2026-03-01" }, "2026-02-29", ["", "the instant 2026-03-01T00:00:00.000Z", "2026-02-29"]],
    [{ $keys: ["a"] }, { b: 1 }, ["a", "any value", undefined], ["b", "absent", 1]],
    [{ $keys: [] }, "x", ["", "an object with exactly the keys (none)", "x"]],
    [JSON.parse('{"__proto__": 1}'), {}, ["__proto__", 1, undefined]],
    [{ constructor: "x" }, {}, ["constructor", "x", undefined]],
    [{ toString: { $any: true } }, {}, ["toString", "any value", undefined]],
  ])("%j does not match %j", (matcher, value, ...mismatches) => {
    expect(at(matcher, value)).toEqual(mismatches);
  });

  it("reports the first 20 differences", () => {
    const zeros = Array.from({ length: 50 }, () => 0);
    expect(
      at(
        zeros,
        zeros.map(() => 1),
      ),
    ).toHaveLength(20);
    expect(
      at(
        { $every: 0 },
        zeros.map(() => 1),
      ),
    ).toHaveLength(20);
    expect(at({ $exact: {} }, Object.fromEntries(zeros.map((_, index) => [`k${index}`, 1])))).toHaveLength(20);
  });

  it("never lets an invalid matcher pass, and says why", () => {
    expect(at({ a: { $regx: "x" } }, { a: "x" })).toEqual([
      ["", 'a valid matcher: Unknown operator "$regx" at a.$regx', { a: "x" }],
    ]);
    expect(at({ $not: { $nope: 1 } }, 1)).toHaveLength(1);
    expect(at(/abc/, "abc")).toEqual([["", "a valid matcher: A matcher is made of JSON data; this is not", "abc"]]);
  });

  it("says so when a regular expression runs out of time", () => {
    shortenDeadlines();
    const [[, expected] = []] = at({ $regex: "(a+)+$" }, `${"a".repeat(40)}b`);
    expect(expected).toMatch(/^The regular expression \/\(a\+\)\+\$\/ took more than 250 ms/);
  });
});
