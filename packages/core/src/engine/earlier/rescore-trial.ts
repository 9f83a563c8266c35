import { costOfResults, type AssertionResult } from "../../assertions/assertion-result.js";
import { locateError } from "../../errors/kindlm-error.js";
import type { PlannedCase, RenderedCase } from "../../plan/run-plan.js";
import type { Transcript } from "../../targets/target.js";
import type { Trial } from "../../transcript/trial.js";
import { addCosts } from "../../values/add-costs.js";
import { buildTrial, totalsOf } from "../build-trial.js";
import { evaluateConversation } from "../evaluate-conversation.js";
import { addJudging, openJudging, type JudgingWorld } from "../judging/open-judging.js";
import { evaluateTrial, type EvaluatedTrial, type EvaluationSettings } from "../evaluate-trial.js";
import { maskSensitive } from "../mask-sensitive.js";
import type { EarlierTrial, ReadTrial } from "../ports.js";
import type { TrialRef } from "../run-event.js";
import type { TrialResult } from "../run-result.js";
import type { TrialWorld } from "../trial-world.js";
import type { TrialDeadline } from "../trial-deadline.js";
import { trialUntil } from "../within-trial.js";

/** What was decided in the course of the conversation, and stands whatever the assertions at its end say. */
const decidedBefore: ReadonlySet<string> = new Set(["retry_until", "on_tool_error"]);

/** A trial of an earlier session, whose assertions have changed since. */
export function readAs({ trial, stands = false }: EarlierTrial): ReadTrial {
  return { trial, seen: null, stands };
}

type RescoringWorld = JudgingWorld & Pick<TrialWorld, "openDeadline" | "assertions" | "runId">;

/** Evaluates the assertions of a case on a conversation that was held before. Asks no model but judges. */
export async function rescoreTrial(
  planned: PlannedCase,
  rendered: RenderedCase,
  { trial: earlier, seen, stands }: ReadTrial,
  world: RescoringWorld,
): Promise<TrialResult> {
  const ref: TrialRef = { suite: planned.suite, caseId: planned.id, trial: earlier.trial };
  world.emit({ channel: "progress", type: "trial:start", ...ref });
  if (stands) return earlier;
  const deadline = world.openDeadline(planned.timeouts.trialMs);
  const place = { planned, trial: earlier.trial, runId: world.runId };
  return trialUntil(deadline, place, () =>
    scoreAgain(planned, rendered, { trial: earlier, seen }, deadline, ref, world),
  );
}

async function scoreAgain(
  planned: PlannedCase,
  rendered: RenderedCase,
  { trial: earlier, seen }: Pick<ReadTrial, "trial" | "seen">,
  deadline: TrialDeadline,
  ref: TrialRef,
  world: RescoringWorld,
): Promise<TrialResult> {
  const transcript: Transcript = {
    messages: [...earlier.messages],
    turns: [...earlier.turns],
    toolCalls: [...earlier.toolCalls],
  };
  const asked = earlier.judging ?? null;
  const judging = openJudging(planned, ref, deadline.signal, world, asked);
  const kept = earlier.assertions.filter(({ type }) => decidedBefore.has(type));
  const settings: EvaluationSettings = {
    threshold: planned.test.threshold,
    offers: rendered.offers,
    context: {
      ...world.assertions,
      signal: deadline.signal,
      timeoutMs: planned.timeouts.toolMs,
      models: judging.ports,
    },
    onResult: (result, at) => world.emit({ channel: "monitor", type: "assertion", ...ref, result }, at),
  };
  const evaluated =
    seen === null
      ? await evaluateAgain(planned, rendered, earlier, kept, transcript, settings)
      : await evaluateTrial(rendered.assertions, seen, settings);
  world.budget.spend(evaluated.costUsd);
  const evaluatedBefore = earlier.assertions.filter((result) => !kept.includes(result));
  const costUsd = addCosts(addCosts(earlier.costUsd, -costOfResults(evaluatedBefore)), evaluated.costUsd);
  const scored = { ...earlier, costUsd, assertions: evaluated.assertions };
  // What judges have cost was spent, also where they are asked again.
  addJudging(scored, judging, asked);
  const origin = { runId: world.runId, test: planned.test.name, ...ref };
  const result =
    evaluated.status === "errored"
      ? { ...scored, status: evaluated.status, error: locateError(deadline.reason ?? evaluated.error, origin) }
      : { ...scored, status: evaluated.status, error: null };
  return maskSensitive<TrialResult>(result);
}

async function evaluateAgain(
  planned: PlannedCase,
  rendered: RenderedCase,
  earlier: TrialResult,
  kept: readonly AssertionResult[],
  transcript: Transcript,
  settings: EvaluationSettings,
): Promise<EvaluatedTrial> {
  const simulator = earlier.simulatedUser ?? null;
  const build = (from: Transcript): Trial =>
    buildTrial(from, totalsOf(transcript), rendered.history.length, planned.fault.id, simulator);
  const hasFailed = kept.some(({ pass }) => !pass);
  const outcome = { assertions: kept, costUsd: 0 };
  const evaluated = await evaluateConversation(
    kept.length === 0 ? null : { outcome, hasGivenUp: hasFailed && earlier.tries !== undefined },
    rendered.assertions,
    transcript,
    build,
    settings,
  );
  return hasFailed ? { ...evaluated, status: "failed", error: null } : evaluated;
}
