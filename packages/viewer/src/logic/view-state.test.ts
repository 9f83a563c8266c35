import fc from "fast-check";
import { expect, it } from "vitest";
import {
  activeFilters,
  marks,
  parseFragment,
  renderFragment,
  startState,
  statuses,
  views,
  withoutFilters,
} from "./view-state.js";

const name = fc.oneof(fc.constant(null), fc.string({ minLength: 1, unit: "grapheme" }));
const number = fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 9999 }));
const states = fc.record({
  view: fc.constantFrom(...views),
  statuses: fc.subarray([...statuses]),
  marks: fc.subarray([...marks]),
  kind: number,
  cause: number,
  q: fc.string({ unit: "grapheme" }),
  text: fc.string({ unit: "grapheme" }),
  suite: name,
  tag: name,
  model: name,
  case: name,
  trial: number,
  with: name,
  all: fc.boolean(),
});

it("comes back from the address that it is written to", () => {
  fc.assert(
    fc.property(states, (state) => {
      expect(parseFragment(`#${renderFragment(state)}`)).toEqual(state);
    }),
    { numRuns: 100 },
  );
});

it("reads the address of the specification", () => {
  expect(parseFragment("#view=cases&status=failed&kind=2&q=refund&case=a%2Fb&trial=2")).toEqual({
    ...startState,
    statuses: ["failed"],
    kind: 2,
    q: "refund",
    case: "a/b",
    trial: 2,
  });
});

it("leaves what it does not understand at its start", () => {
  expect(parseFragment("#view=nothing&status=odd,,failed&kind=-1&trial=x&cause=1e3&other=1&case=")).toEqual({
    ...startState,
    statuses: ["failed"],
  });
  expect(parseFragment("")).toEqual(startState);
  expect(renderFragment(startState)).toBe("");
});

it("names each filter, and what takes it away", () => {
  fc.assert(
    fc.property(states, (state) => {
      const left = { ...state };
      const count = activeFilters(state).length;
      for (let taken = count; taken > 0; taken -= 1) {
        expect(activeFilters(left)).toHaveLength(taken);
        Object.assign(left, activeFilters(left)[0]?.change);
      }
      expect(left).toEqual(withoutFilters(state));
      expect(activeFilters(left)).toEqual([]);
    }),
    { numRuns: 50 },
  );
});
