import { describe, expect, it } from "vitest";
import { described, lazy, list, mapOf, narrowed, nullable, pair, said, textOr, union } from "./compound.js";
import { derived, internal, kept, orNull, projected, reportedAs, supplied } from "./field.js";
import { record } from "./record.js";
import { anything, count, flag, literal, ms, number, oneOf, pValue, rate, text, usd, word } from "./scalars.js";
import { readStored } from "./read-stored.js";
import { mask, sayFlaw, type Shape, type View } from "./shape.js";

const loud: View = {
  text: (words) => words.toUpperCase(),
  value: () => "ANY",
  verbose: false,
  messages: false,
  said: null,
};
const view: View = {
  text: (words) => words.replaceAll("secret", mask),
  value: (value) => (value === undefined ? null : `any ${JSON.stringify(value)}`),
  verbose: false,
  messages: false,
  said: loud,
};

interface Tree {
  name: string;
  below?: readonly Tree[];
}

const treeShape: Shape<Tree> = record({ name: text }, { below: list(lazy("tree", (): Shape<Tree> => treeShape)) });

const everything = record(
  {
    id: word,
    name: text,
    status: oneOf(["good", "bad"]),
    spoken: said(text),
    hash: internal(word),
    size: derived(count, ({ name }: { name: string }) => name.length),
    trials: supplied(list(count)),
    hint: orNull(text),
    isLast: reportedAs("last", flag),
    parts: projected(list(text), count, ({ parts }: { parts: readonly string[] }) => parts.length),
    cost: nullable(usd),
    interval: pair(rate),
    args: anything,
  },
  {
    weight: kept(number, (weight) => weight !== 1),
    tags: list(text),
    counts: mapOf(count, { isText: true, isSorted: true }),
    tree: treeShape,
    content: textOr(list(word)),
    from: union("kind", {
      file: record({ kind: literal("file"), path: text }),
      run: record({ kind: literal("run"), runId: word }),
    }),
  },
);

const value = {
  id: "secret",
  name: "a secret",
  status: "good" as const,
  spoken: "hush",
  hash: "h",
  isLast: true,
  parts: ["a", "b"],
  cost: 0.123456789012,
  interval: [1 / 3, 2 / 3] as const,
  args: 7,
  weight: 1,
  counts: { secret: 1, a: 2 },
  tree: { name: "secret", below: [{ name: "leaf" }] },
  content: ["x"],
  from: { kind: "run" as const, runId: "r" },
};

const reported = {
  id: "secret",
  name: `a ${mask}`,
  status: "good",
  spoken: "HUSH",
  size: 8,
  hint: null,
  last: true,
  parts: 2,
  cost: 0.12345679,
  interval: [0.333333, 0.666667],
  args: "any 7",
  counts: { a: 2, [mask]: 1 },
  tree: { name: mask, below: [{ name: "leaf" }] },
  content: ["x"],
  from: { kind: "run", runId: "r" },
};

const flawed: readonly (readonly [change: object, says: string])[] = [
  [{ id: 1 }, "id must be a string"],
  [{ name: undefined }, "name must be a string"],
  [{ status: "great" }, 'status must be one of "good", "bad"'],
  [{ hash: undefined }, "hash must be a string"],
  [{ hint: null }, "hint must be a string"],
  [{ isLast: 1 }, "isLast must be true or false"],
  [{ parts: ["a", 1] }, "parts[1] must be a string"],
  [{ parts: {} }, "parts must be a list"],
  [{ interval: [1] }, "interval must have two members"],
  [{ weight: undefined }, "weight must be a number"],
  [{ counts: { a: 1.5 } }, "counts.a must be a whole number"],
  [{ tree: { name: "x", below: [{ name: "y", below: [{}] }] } }, "tree.below[0].below[0].name must be a string"],
  [{ content: [1] }, "content[0] must be a string"],
  [{ from: { kind: "elsewhere" } }, 'from.kind must be one of "file", "run"'],
  [{ from: { kind: "file" } }, "from.path must be a string"],
  [{ from: null }, "from must be an object"],
];

describe("a shape", () => {
  it("reports what is declared, and nothing else", () => {
    expect(everything.report(value, view)).toEqual(reported);
    expect(everything.report({ ...value, weight: 2 }, view)).toEqual({ ...reported, weight: 2 });
    expect(everything.report({ ...value, hint: "secret", tags: [] }, view)).toMatchObject({ hint: mask, tags: [] });
  });

  it("accepts what was stored, also where it was masked", () => {
    const masked = { ...value, status: mask, cost: mask, counts: { a: mask } };
    expect(everything.check(JSON.parse(JSON.stringify(value)))).toBeNull();
    expect(everything.check(masked)).toBeNull();
    expect(readStored(everything, value)).toEqual({ success: true, data: value });
  });

  it.each(flawed)("does not believe %j", (change, says) => {
    const flaw = everything.check({ ...value, ...change });
    expect(flaw === null ? "nothing" : sayFlaw(flaw)).toBe(says);
  });

  it("says what it is of a value that is nothing like it", () => {
    const flaw = everything.check("text");
    expect(flaw === null ? "nothing" : sayFlaw(flaw)).toBe("it must be an object");
  });

  it("publishes what is reported", () => {
    expect(everything.schema()).toMatchObject({
      required: [
        "id",
        "name",
        "status",
        "spoken",
        "size",
        "trials",
        "hint",
        "last",
        "parts",
        "cost",
        "interval",
        "args",
      ],
      properties: {
        trials: { type: "array" },
        hint: { anyOf: [{ type: "string" }, { type: "null" }] },
        parts: { type: "integer" },
        args: {},
        tree: { properties: { below: { items: { $ref: "#/definitions/tree" } } } },
      },
    });
    expect(described("why", text).schema()).toEqual({ description: "why", type: "string" });
  });

  it("prints what is stored, so that every change of that shows", () => {
    const print = (shape: { print(): unknown }): string => JSON.stringify(shape.print());
    const before = record({ a: text }, { b: count });
    expect(print(before)).toBe('{"a":"text","b?":"count"}');
    for (const after of [
      record({ a: text }, { b: number }),
      record({ a: text, b: count }),
      record({ a: text }, { b: list(count) }),
      record({ a: text }, { b: nullable(count) }),
      record({ a: text }, { b: literal(1) }),
      record({ a: text }, { b: count, c: flag }),
    ]) {
      expect(print(after)).not.toBe(print(before));
    }
    for (const same of [
      record({ a: word }, { b: described("why", count) }),
      record({ a: internal(text), c: derived(text, () => "") }, { b: reportedAs("x", count) }),
    ]) {
      expect(print(same)).toBe(print(before));
    }
  });

  it("checks what its type says beyond its fields", () => {
    const even: Shape<number> = narrowed(count, (stored) =>
      stored % 2 === 0 ? null : { path: "", problem: "must be even" },
    );
    expect([even.check(2), even.check(1), even.check("1")]).toMatchObject([
      null,
      { problem: "must be even" },
      { problem: "must be a whole number" },
    ]);
  });
});

describe("a unit", () => {
  it.each([
    ["usd", usd, 1 / 3e5, 0.00000333],
    ["ms", ms, 1.23456, 1.235],
    ["rate", rate, 2 / 3, 0.666667],
    ["pValue", pValue, 1.23456789e-9, 1.23457e-9],
    ["number", number, 1 / 3, 1 / 3],
    ["none", number, Number.NaN, null],
  ])("rounds as its own digits say: %s", (_, shape, given, expected) => {
    expect(shape.report(given, view)).toBe(expected);
  });
});
