import { described, list } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { count, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";

const calledShape = record({ tool: text, trials: count });

/** Where the requests of a suite led: a row for each expected tool. */
export const routingTableShape = record({
  suite: text,
  trials: count,
  /** Trials that led to the tool that was expected. */
  right: count,
  rows: described(
    "A row for each expected tool, with the tools that were called; none stands for no tool",
    list(record({ expected: text, trials: count, right: count, called: list(calledShape) })),
  ),
});
export type RoutingTable = Static<typeof routingTableShape>;

/** Trials of a case by the tool that was expected and the tool that was called. */
export const routeShape = record({ expected: text, called: text, trials: count });
export type Route = Static<typeof routeShape>;
