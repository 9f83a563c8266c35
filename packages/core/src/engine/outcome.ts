import type { KindlmError } from "../errors/kindlm-error.js";
import { narrowed } from "../shape/compound.js";
import type { Shape } from "../shape/shape.js";
import type { JsonObject } from "../values/json.js";

export interface Outcome {
  status: "passed" | "failed" | "errored";
  error: KindlmError | null;
}

/** What ran, as a union on `status`: no errored one without its error. */
export type WithOutcome<T extends Outcome> = Omit<T, keyof Outcome> &
  ({ status: "passed"; error: null } | { status: "failed"; error: null } | { status: "errored"; error: KindlmError });

export function withOutcome<T extends Outcome>(shape: Shape<T, JsonObject>): Shape<WithOutcome<T>, JsonObject> {
  return narrowed<Outcome, WithOutcome<T>, JsonObject>(shape, ({ status, error }) =>
    (status === "errored") === (error !== null)
      ? null
      : { path: "error", problem: `does not fit the status ${status}` },
  );
}
