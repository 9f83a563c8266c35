import fc from "fast-check";
import { expect, it } from "vitest";
import { createRunId, startOfRun } from "./run-id.js";

const time = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2099, 0) });

it("sorts as the runs began, and reports when they did", () => {
  fc.assert(
    fc.property(time, time, (a, b) => {
      const [first, second] = [createRunId(a), createRunId(b)];
      expect([startOfRun(first), startOfRun(second)]).toEqual([a, b]);
      if (a !== b) expect(first < second).toBe(a < b);
      expect(createRunId(a)).not.toBe(first);
    }),
  );
});

it.each(["before-the-release", "", "20260215-103000000", "20261315-103000000-a1b2c3", "20260215-103000000-a1b2c3.bak"])(
  "%j is no id of a run",
  (name) => expect(startOfRun(name)).toBeNull(),
);
