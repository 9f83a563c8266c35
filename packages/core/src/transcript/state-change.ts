import { record } from "../shape/record.js";
import { anything, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";

/** One value of the state that a tool call changed. A missing `from` or `to` was not there. */
export const stateChangeShape = record(
  {
    /** Such as `orders.ORD-1.status`. */
    path: text,
  },
  { from: anything, to: anything },
);
export type StateChange = Static<typeof stateChangeShape>;
