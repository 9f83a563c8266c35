import type { RanTest } from "./usability-of.js";

/** The trial that stands for the others of its case: the first that passed where the case did, else the decisive one. */
export function standsForCase(
  { status, decisiveTrial }: Pick<RanTest, "status" | "decisiveTrial">,
  trial: { trial: number; status: string },
): boolean {
  return status === "passed" ? trial.status === "passed" : trial.trial === decisiveTrial;
}
