import { describe, expect, it } from "vitest";
import { createRandom } from "./random.js";
import { describeJsonProblem, jsonLimitOf, longestJson, parseJson } from "./parse-json.js";
import { writeJson } from "./write-json.js";

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("parseJson", () => {
  it.each([
    ["as deep as it may be", nested(200), undefined, null],
    ["a level too deep", nested(201), undefined, "nested deeper than 200 levels"],
    ["far too deep", `{"a":${nested(50_000)}}`, undefined, "nested deeper than 200 levels"],
    ["in a source with levels of its own", nested(210), { around: 10 }, null],
    ["deeper than that", nested(211), { around: 10 }, "nested deeper than 210 levels"],
    ["as long as it may be", `"${"x".repeat(longestJson - 2)}"`, undefined, null],
    ["too long", `"${"x".repeat(longestJson - 1)}"`, undefined, "larger than 10 MiB"],
    ["wide, not deep", JSON.stringify(Array.from({ length: 1_000 }, () => [{}])), undefined, null],
  ])("reads or refuses what is %s", (_name, text, room, problem) => {
    const read = parseJson(text, room);
    expect(read.success ? null : read.error).toBe(problem);
  });

  it("distinguishes a limit from what is wrong with the syntax", () => {
    const [deep, broken] = [parseJson(nested(300)), parseJson("[1,")];
    expect(deep.success || describeJsonProblem(deep.error)).toBe("nested deeper than 200 levels");
    expect(broken.success || describeJsonProblem(broken.error)).toMatch(/^not valid JSON: /);
  });
});

describe("jsonLimitOf", () => {
  it("ends for what holds itself, and for parts that are shared over and over", () => {
    const circle: unknown[] = [];
    circle.push(circle);
    let shared: unknown = {};
    for (let level = 0; level < 60; level += 1) shared = [shared, shared];
    expect([jsonLimitOf(circle), jsonLimitOf(shared), jsonLimitOf([1, { a: "x" }])]).toEqual([
      "nested deeper than 200 levels",
      "nested deeper than 200 levels",
      null,
    ]);
  });
});

describe("writeJson", () => {
  it("writes what JSON.stringify writes, and also what that cannot", () => {
    const random = createRandom(7);
    const value = (depth: number): unknown => {
      const kind = Math.floor(random() * (depth === 0 ? 4 : 6));
      if (kind === 4) return Array.from({ length: Math.floor(random() * 4) }, () => value(depth - 1));
      if (kind === 5) return { [`k${Math.floor(random() * 9)}"`]: value(depth - 1), b: value(depth - 1) };
      return [null, true, random(), 'a "text"\u2028'][kind];
    };
    for (let draw = 0; draw < 50; draw += 1) {
      const drawn = value(5);
      expect(writeJson(drawn)).toBe(JSON.stringify(drawn));
    }
    expect(writeJson(JSON.parse(nested(20_000)))).toBe(nested(20_000));
  });
});
