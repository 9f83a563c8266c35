import fc from "fast-check";
import { expect, it } from "vitest";
import { createIdTable } from "./id-table.js";

it("finds each id, in any order, and no other", () => {
  const ids = fc.uniqueArray(fc.string(), { maxLength: 40 });
  fc.assert(
    fc.property(ids, fc.array(fc.nat(39)), fc.string(), (all, asked, other) => {
      const find = createIdTable(all, all.length, (index) => all[index]);
      for (const index of [...all.keys(), ...asked]) {
        const id = all[index];
        if (id !== undefined) expect(find(id)).toBe(index);
      }
      expect(find(other)).toBe(all.includes(other) ? all.indexOf(other) : null);
    }),
  );
});

it("looks at few ids besides the one that is asked for", () => {
  const all = Array.from({ length: 10_000 }, (_, index) => `questions/question[q${index}]@offline`);
  let looked = 0;
  const find = createIdTable(all, all.length, (index) => {
    looked += 1;
    return all[index];
  });
  for (const [index, id] of [...all.entries()].toReversed()) expect(find(id)).toBe(index);
  expect(looked).toBeLessThan(40_000);
});
