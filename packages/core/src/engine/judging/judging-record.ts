import { list } from "../../shape/compound.js";
import { internal } from "../../shape/field.js";
import { record } from "../../shape/record.js";
import { oneOf, text } from "../../shape/scalars.js";
import type { Static } from "../../shape/shape.js";
import { auxiliaryTotalsShape } from "../../transcript/auxiliary-totals.js";
import { turnShape } from "../../transcript/turn.js";

/** A question to a model that an assertion asked, and its reply. */
export const judgingCallShape = record(
  {
    ...turnShape.always,
    role: oneOf(["judge", "embedder"]),
    /** Id of the model that was to answer. */
    model: text,
  },
  turnShape.sometimes,
);
export type JudgingCall = Static<typeof judgingCallShape>;

/** What asking models about a trial took. It is counted apart from the agent. */
export const judgingShape = record({
  ...auxiliaryTotalsShape.always,
  /** In their order, those of earlier evaluations of the same trial first. */
  calls: internal(list(judgingCallShape)),
});
export type JudgingRecord = Static<typeof judgingShape>;
