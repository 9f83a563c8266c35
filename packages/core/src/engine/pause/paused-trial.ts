import { list } from "../../shape/compound.js";
import { record } from "../../shape/record.js";
import { text } from "../../shape/scalars.js";
import type { Static } from "../../shape/shape.js";
import { everyCall } from "../../transcript/delegated-calls.js";
import type { TrialToolCall } from "../../transcript/trial.js";

/** A trial that waits for approvals. */
export const pausedShape = record({
  /** Of the calls that wait, in their order. */
  permissionIds: list(text),
});
export type PausedTrial = Static<typeof pausedShape>;

/** Null if no call of the agent or of a sub-agent waits for an approval. */
export function pausedBy(toolCalls: readonly TrialToolCall[]): PausedTrial | null {
  const permissionIds = [...everyCall(toolCalls)].flatMap(({ permission }) =>
    permission?.decision === "pending" && permission.id !== undefined ? [permission.id] : [],
  );
  return permissionIds.length === 0 ? null : { permissionIds };
}
