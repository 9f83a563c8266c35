import { describe, expect, it } from "vitest";
import { keepExactIntegers } from "../values/exact-integers.js";
import { matchValue } from "./parse-matcher.js";

const parse = (text: string): unknown => keepExactIntegers(text, JSON.parse(text));
const id = 9007199254740992;

describe("a large integer", () => {
  it.each<[matcher: unknown, text: string, passes: boolean]>([
    [{ id }, '{"id": 9007199254740992}', true],
    [{ id }, '{"id": 9007199254740993}', false],
    [{ id: { $integer: "9007199254740993" } }, '{"id": 9007199254740993}', true],
    [{ id: { $integer: "9007199254740993" } }, '{"id": 9007199254740992}', false],
    [{ id: { $integer: "9007199254740993" } }, '{"id": "9007199254740993"}', false],
    [{ id: { $integer: "5" } }, '{"id": 5.0}', true],
    [{ id: { $integer: 5 } }, '{"id": 5.5}', false],
    [{ id: { $gt: id } }, '{"id": 9007199254740993}', true],
    [{ id: { $lte: id } }, '{"id": 9007199254740993}', false],
    [{ id: { $gte: id, $lt: 1e30 } }, '{"id": 9007199254740993}', true],
    [{ id: { $approx: id, $tolerance: 0 } }, '{"id": 9007199254740993}', false],
    [{ id: { $approx: id, $tolerance: 1 } }, '{"id": 9007199254740993}', true],
    [{ id: { $approx: id } }, '{"id": 9007199254740993}', true],
    [{ id: { $type: "integer" } }, '{"id": 9007199254740993}', true],
    [{ id: { $type: "number" } }, '{"id": 9007199254740993}', true],
    [{ id: { $schema: { type: "integer", minimum: 5 } } }, '{"id": 9007199254740993}', true],
    [{ ids: { $includes: id } }, '{"ids": [9007199254740993]}', false],
    [{ ids: { $every: id } }, '{"ids": [9007199254740992, 9007199254740993]}', false],
    [{ ids: { $unordered: [1, id] } }, '{"ids": [9007199254740993, 1]}', false],
    [{ ids: { $unordered: [1, id] } }, '{"ids": [9007199254740992, 1]}', true],
    [{ ids: [id] }, '{"ids": [9007199254740993]}', false],
    [{ $exact: { id } }, '{"id": 9007199254740993}', false],
    [{ $literal: { id } }, '{"id": 9007199254740993}', false],
    [{ id: { $not: id } }, '{"id": 9007199254740993}', true],
    [{ id: { $one_of: [id, { $integer: "9007199254740993" }] } }, '{"id": 9007199254740993}', true],
  ])("%j of %s: %s", (matcher, text, passes) => {
    expect(matchValue(matcher, parse(text)).pass).toBe(passes);
  });

  it("is shown with all its digits", () => {
    const matched = matchValue({ id: { $integer: "9007199254740993" } }, parse('{"id": 9007199254740995}'));
    expect(matched).toEqual({
      pass: false,
      mismatches: [{ path: "id", expected: "the integer 9007199254740993", actual: 9007199254740995n }],
    });
  });
});
