import { kindlmError } from "../errors/kindlm-error.js";
import type { RenderedCase } from "../plan/run-plan.js";
import { failure, success, type Result } from "../result.js";
import type { TargetSession } from "../targets/target.js";

/** Sends the user turns of a conversation one after the other, until one is not answered. */
export async function converse(
  session: TargetSession,
  rendered: RenderedCase,
  signal: AbortSignal,
): Promise<Result<void>> {
  for (const message of rendered.userTurns) {
    if (signal.aborted) return failure(kindlmError("ENGINE_ABORTED", "The trial was stopped"));
    // oxlint-disable-next-line no-await-in-loop -- a conversation goes one message after the other
    const answered = await session.send(message, { signal });
    if (!answered.success) return answered;
  }
  return success(undefined);
}
