import { described, narrowed, nullable } from "../shape/compound.js";
import { volatileIn } from "../shape/field.js";
import { record } from "../shape/record.js";
import { flag, literal, number, oneOf, text, word } from "../shape/scalars.js";
import type { Shape, Static } from "../shape/shape.js";

const percentile = "latency_p95";
const increase = "latency_increase";
/** Their figures are another each time. */
const latency = [percentile, increase];

const fieldsShape = record(
  {
    name: word,
    scope: oneOf(["run", "suite"]),
    pass: flag,
    limit: number,
    /** Null when it could not be computed; such a gate does not pass. */
    actual: volatileIn(latency, nullable(number)),
    message: volatileIn(latency, text),
  },
  {
    suite: described("The suite that it is about, where the scope is suite", text),
    /** False where there is nothing to say about it, such as of latencies in a replay; such a gate passes. */
    evaluated: volatileIn(
      latency,
      described("False where there is nothing to say about it; such a gate passes", literal(false)),
    ),
  },
);

type GateParts = Omit<Static<typeof fieldsShape>, "scope" | "suite">;

/** What became of one gate of the config, which is about the run or about one suite. */
export type GateResult = (GateParts & { scope: "run" }) | (GateParts & { scope: "suite"; suite: string });

export const gateShape: Shape<GateResult> = narrowed(fieldsShape, ({ scope, suite }) =>
  scope === "suite" && suite === undefined ? { path: "suite", problem: "must be a string" } : null,
);
