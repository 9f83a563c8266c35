import { it } from "vitest";
import { killAndResume } from "../support/kill-runs.js";

it.each([1, 2, 3])("a run that is killed fifty times (seed %i) ends as if nothing had been", (seed) =>
  killAndResume(50, seed),
);
