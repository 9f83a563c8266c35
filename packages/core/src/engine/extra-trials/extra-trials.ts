import { attackCountsShape } from "../injection/injection-record.js";
import { described } from "../../shape/compound.js";
import { internal } from "../../shape/field.js";
import { record } from "../../shape/record.js";
import { count, flag } from "../../shape/scalars.js";
import type { Static } from "../../shape/shape.js";
import { caseCountsShape } from "../../statistics/case-counts.js";

/** How the confirmation trials of a suspect case ended. */
export const confirmationTrialsShape = record(
  {
    ...caseCountsShape.always,
    /** Whether it has the passes that it needs among them. */
    isPassed: internal(flag),
  },
  { attack: attackCountsShape },
);
export type ConfirmationTrials = Static<typeof confirmationTrialsShape>;

/** The trials beyond `runs` of a case that may have them. */
export const furtherTrialsShape = record(
  {
    ...caseCountsShape.always,
    /** Trials that it may have in all. */
    max: described("Trials that the case may have in all", count),
    /** Looks at the comparison whose trials it has; the first is that of `runs` trials. */
    looks: described("Looks at the comparison that its trials were for, the first one included", count),
  },
  { attack: attackCountsShape },
);
export type FurtherTrials = Static<typeof furtherTrialsShape>;

/** What a case has before its first further trial. */
export function noFurtherTrials(max: number): FurtherTrials {
  return { passes: 0, trials: 0, max, looks: 1 };
}

/** All cases are decided, and some of them are run again: suspects, or those of suites whose comparison is open. */
export type ExtraTrialsEvent =
  | { channel: "progress"; type: "confirm:start" | "further:start"; cases: number; trials: number }
  | { channel: "progress"; type: "confirm:end" | "further:end" };
