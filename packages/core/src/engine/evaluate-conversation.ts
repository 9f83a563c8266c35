import type { ParsedAssertion } from "../assertions/parsed-assertion.js";
import type { Transcript } from "../targets/target.js";
import type { Trial } from "../transcript/trial.js";
import { standingOf } from "./build-trial.js";
import { evaluateTrial, type EvaluatedTrial, type EvaluationSettings } from "./evaluate-trial.js";
import type { Retrying } from "./retry-until/retry-user-turn.js";

/** The result of approving the answers of a conversation. */
type Approvals = Pick<Retrying, "outcome" | "hasGivenUp">;

/** Evaluates a trial that was not stopped. `build` makes of a transcript what assertions see. */
export function evaluateConversation(
  retrying: Approvals | null,
  assertions: readonly ParsedAssertion[],
  transcript: Transcript,
  build: (transcript: Transcript) => Trial,
  settings: EvaluationSettings,
): Promise<EvaluatedTrial> {
  return retrying === null
    ? evaluateTrial(assertions, build(transcript), settings)
    : evaluateTries(retrying, assertions, transcript, build, settings);
}

/** Judges a conversation whose answers had to be approved. One that was not, where that is asked for, has failed. */
async function evaluateTries(
  retrying: Approvals,
  assertions: readonly ParsedAssertion[],
  transcript: Transcript,
  build: (transcript: Transcript) => Trial,
  settings: EvaluationSettings,
): Promise<EvaluatedTrial> {
  const { outcome } = retrying;
  for (const result of outcome.assertions) settings.onResult(result, settings.context.clock.now());
  if (retrying.hasGivenUp) return { status: "failed", error: null, ...outcome };
  if (assertions.length === 0) return { status: "passed", error: null, ...outcome };
  const standing = standingOf(transcript);
  const everything = standing === transcript ? null : build(transcript);
  const evaluated = await evaluateTrial(assertions, build(standing), { ...settings, everything });
  return {
    ...evaluated,
    assertions: [...outcome.assertions, ...evaluated.assertions],
    costUsd: outcome.costUsd + evaluated.costUsd,
  };
}
