import { it } from "vitest";
import { killAndResume } from "./support/kill-runs.js";

// With the two of test/paying.test.ts, five random moments; the long tests kill at 50.
it("a run that is killed three times loses no finished trial, repeats none, and ends as if nothing had been", () =>
  killAndResume(3, 20_261_121, 50));
