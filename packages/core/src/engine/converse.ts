import { trialStopped } from "../errors/trial-stopped.js";
import type { RenderedCase } from "../plan/run-plan.js";
import { failure, success, type Result } from "../result.js";
import type { Retrying } from "./retry-until/retry-user-turn.js";
import type { TargetSession } from "../targets/target.js";
import type { SendMessage } from "./send-message.js";
import type { SimulatedUser } from "./simulated-user/simulated-user.js";

/** Sends the user turns of a conversation one after the other, until one is not answered. */
export async function converse(
  session: TargetSession,
  rendered: RenderedCase,
  signal: AbortSignal,
  simulator: SimulatedUser | null,
  retrying: Retrying | null,
): Promise<Result<void>> {
  const send: SendMessage = (message) => session.send(message, { signal });
  if (simulator !== null) return simulator.converse(rendered.userTurns, send, session.transcript, signal);
  for (const [index, message] of rendered.userTurns.entries()) {
    if (signal.aborted) return failure(trialStopped());
    const answered = await (retrying === null ? send(message) : retrying.answer(index, message, send));
    if (!answered.success) return answered;
    if (retrying?.hasGivenUp === true) break;
  }
  return success(undefined);
}
