import fc from "fast-check";
import { expect, it } from "vitest";
import { createClusterNumbers } from "./cluster-numbers.js";
import { clusterOf } from "./cluster-of.js";

const name = fc.constantFrom("a", "b", "c");
const test = fc
  .record({
    suite: name,
    name,
    row: fc.option(name),
    model: name,
    prompt: fc.option(name),
    fault: fc.constant(null),
    group: fc.option(name, { nil: undefined, freq: 3 }),
  })
  .map(({ group, ...rest }) => (group === undefined ? rest : { ...rest, group }));

/** No case is there twice. */
const cases = fc.uniqueArray(test, {
  maxLength: 40,
  selector: ({ suite, name: of, row, model, prompt }) => JSON.stringify([suite, of, row, model, prompt]),
});

it("distinguishes clusters as clusterOf does, and counts them without gaps", () => {
  fc.assert(
    fc.property(cases, (tests) => {
      const numberOf = createClusterNumbers();
      const numbers = new Map<string, Set<number>>();
      for (const one of tests) {
        const seen = numbers.get(clusterOf(one)) ?? new Set<number>();
        numbers.set(clusterOf(one), seen.add(numberOf(one)));
      }
      const found = [...numbers.values()].map((seen) => [...seen]);
      expect(found.every((seen) => seen.length === 1)).toBe(true);
      expect(found.flat().toSorted((a, b) => a - b)).toEqual(found.map((_, index) => index));
    }),
  );
});
