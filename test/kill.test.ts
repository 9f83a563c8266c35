import { it } from "vitest";
import { killAndResume } from "./support/kill-runs.js";

it("a run that is killed three times loses no finished trial, repeats none, and ends as if nothing had been", () =>
  killAndResume(3, 20_261_121, 50));
