import fc from "fast-check";
import { expect, it } from "vitest";
import type { LinePlace } from "./group-appender.js";
import { createTrialPlaces } from "./trial-places.js";

it("knows of each trial where it was put last, in the order of the trials", () => {
  const put = fc.record({ caseId: fc.constantFrom("a", "b", "__proto__"), trial: fc.integer({ min: 1, max: 4 }) });
  fc.assert(
    fc.property(fc.array(put, { maxLength: 30 }), (puts) => {
      const places = createTrialPlaces();
      const expected = new Map<string, Map<number, LinePlace>>();
      for (const [index, { caseId, trial }] of puts.entries()) {
        const place = { offset: index * 10, length: index };
        places.put(caseId, trial, place);
        expected.set(caseId, (expected.get(caseId) ?? new Map<number, LinePlace>()).set(trial, place));
      }
      for (const caseId of ["a", "b", "__proto__", "never"]) {
        const sorted = [...(expected.get(caseId) ?? [])].toSorted(([a], [b]) => a - b);
        expect(places.of(caseId)).toEqual(sorted.map(([, place]) => place));
      }
    }),
  );
});
