import fc from "fast-check";
import { expect, it } from "vitest";
import { createLazyList } from "./lazy-list.js";

const squares = (length: number) => createLazyList(length, (index) => index ** 2);

it("reads like an array of the same items, whatever is done with it", () => {
  fc.assert(
    fc.property(fc.nat(30), (length) => {
      const list = squares(length);
      const array = Array.from({ length }, (_, index) => index ** 2);
      expect(Array.isArray(list)).toBe(true);
      expect(list).toEqual(array);
      expect([...list]).toEqual(array);
      expect([list.length, list.at(-1), list[length], list[-1]]).toEqual([length, array.at(-1), undefined, undefined]);
      expect(list.map(String)).toEqual(array.map(String));
      expect(list.filter((item) => item % 2 === 0)).toEqual(array.filter((item) => item % 2 === 0));
      expect([list, list].flatMap((one) => one)).toEqual([...array, ...array]);
      expect([...list.entries()]).toEqual([...array.entries()]);
      expect(JSON.stringify({ list })).toBe(JSON.stringify({ list: array }));
      expect(Object.keys(list)).toEqual(Object.keys(array));
    }),
  );
});

it("makes an item each time when it is read, and none before", () => {
  const read: number[] = [];
  const list = createLazyList(3, (index) => {
    read.push(index);
    return { index };
  });
  expect(read).toEqual([]);
  expect(list[1]).not.toBe(list[1]);
  expect(read).toEqual([1, 1]);
});

it("cannot be changed", () => {
  const list = squares(3);
  expect(() => Object.assign(list, { 0: 5 })).toThrow(TypeError);
  expect(() => Reflect.apply(Array.prototype.push, list, [1])).toThrow(TypeError);
  expect([...list]).toEqual([0, 1, 4]);
});
