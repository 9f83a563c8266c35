import { volatileAnywhere } from "../shape/field.js";
import { record } from "../shape/record.js";
import { count, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";

/** Where in a run an error happened, as far as it is known. */
export const originShape = record(
  {},
  {
    runId: volatileAnywhere(text, "origin"),
    suite: text,
    test: text,
    caseId: text,
    /** The provider's id of the exchange. */
    requestId: text,
    /** From 1 within the case. */
    trial: count,
    /** From 1 within the trial. */
    turn: count,
    /** From 1 within the turn. */
    attempt: count,
  },
);
export type ErrorOrigin = Static<typeof originShape>;
