import { it } from "vitest";
import { killAndResume } from "./support/kill-runs.js";

it("a run that is killed twice loses no finished trial, repeats none, and ends as if nothing had been", () =>
  killAndResume(2, 20_261_121, 50));
