import fc from "fast-check";
import { expect, it } from "vitest";
import { activeMs } from "../__fixtures__/active-ms.js";
import { isDeepStrictEqual } from "node:util";
import { compileSchema } from "./compile-schema.js";

const schema = { type: "array" as const, uniqueItems: true };
const violationsOf = (items: unknown, more: object = {}) => {
  const compiled = compileSchema({ ...schema, ...more });
  if (!compiled.success) throw new Error(compiled.error.message);
  return compiled.data.validate(items);
};

it.each([
  [[1, "1", true, null, [], {}], null],
  [[1, 2, 1], "[0, 2]"],
  [[1, 1.0], "[0, 1]"],
  [[{ a: 1, b: [2] }, 0, { b: [2], a: 1 }], "[0, 2]"],
  [
    [
      [1, 2],
      [2, 1],
    ],
    null,
  ],
  [[0, -0], "[0, 1]"],
  [["a", "b", "b", "a"], "[0, 3]"],
])("%j", (items, pair) => {
  const message = pair === null ? null : (JSON.parse(pair) as number[]).join(" and ");
  expect(violationsOf(items).map((violation) => violation.message)).toEqual(
    message === null ? [] : [`must NOT have duplicate items (items ## ${message} are identical)`],
  );
  expect(violationsOf(items, { uniqueItems: false })).toEqual([]);
});

it("finds equal items of any data", () => {
  const items = fc.array(fc.oneof(fc.constantFrom(0, "0", null, [], {}, [0], { a: 0 }), fc.jsonValue()), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(items, (list) => {
      const data = JSON.parse(JSON.stringify(list)) as unknown[];
      const hasTwins = data.some((one, index) => data.slice(index + 1).some((other) => isDeepStrictEqual(one, other)));
      expect(violationsOf(data).length > 0).toBe(hasTwins);
    }),
  );
});

it("takes no time with the square of the items", () => {
  const items = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `n${id}` }));
  expect(activeMs(() => expect(violationsOf(items)).toEqual([]))).toBeLessThan(1_000);
});
