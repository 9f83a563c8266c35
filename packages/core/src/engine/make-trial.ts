import { everyCall } from "../transcript/delegated-calls.js";
import { attemptSync } from "../errors/boundary.js";
import { success } from "../result.js";
import type { CaseProgress } from "./case-progress.js";
import { unstartedTrial } from "./empty-trial.js";
import type { EarlierTrial, RecordedTrial, TrialOrigin, ReadTrial } from "./ports.js";
import type { RunContext } from "./run-context.js";
import type { TrialResult } from "./run-result.js";
import { runTrial } from "./run-trial.js";
import { trialOrError, unexpectedError } from "./within-trial.js";
import { costOfResults } from "../assertions/assertion-result.js";
import type { PlannedCase, RenderedCase } from "../plan/run-plan.js";
import { addCosts } from "../values/add-costs.js";
import { totalsOf } from "./build-trial.js";
import { decideTrialStatus, locateStatus } from "./decide-trial-status.js";
import { isDecidedBefore } from "../assertions/is-decided-before.js";
import { evaluateConversation, isLost, isTaskDone } from "./evaluate-conversation.js";
import { injectionsOf } from "./injection/injections-of.js";
import { evaluateTrial } from "./evaluate-trial.js";
import { addJudging, type JudgingContext } from "./judging/open-judging.js";
import { withPause } from "./pause/result-of-pause.js";
import { maskSensitive } from "./mask-sensitive.js";
import { restoreFiles } from "./trial-workspace/trial-workspace.js";
import { openEvaluation } from "./open-evaluation.js";
import type { TrialRef } from "./run-event.js";
import type { TrialDeadline } from "./trial-deadline.js";

/** A trial that was run, or only scored again. */
export interface MadeTrial {
  trial: TrialResult;
  origin: TrialOrigin;
}

/** Runs a trial of a case, or evaluates the current assertions on the conversation of an earlier one. */
export async function makeTrial(
  progress: CaseProgress,
  trial: number,
  earlier: EarlierTrial | RecordedTrial | undefined,
  run: RunContext,
): Promise<MadeTrial> {
  const { planned } = progress;
  // Almost every trial. What it throws later is caught by `runTrial`.
  const ready = earlier === undefined ? attemptSync(() => progress.rendered(), unexpectedError) : null;
  if (ready?.success === true && ready.data.success) {
    return { trial: await runTrial(planned, ready.data.data, trial, run), origin: "run" };
  }
  let origin: TrialOrigin = "run";
  const made = await trialOrError({ planned, trial, runId: run.runId }, null, async () => {
    const rendered = progress.rendered();
    if (!rendered.success) return unstartedTrial(planned.id, trial, rendered.error);
    if (earlier === undefined) return runTrial(planned, rendered.data, trial, run);
    const read = "read" in earlier ? earlier.read(rendered.data) : success(readAs(earlier));
    if (!read.success) return unstartedTrial(planned.id, trial, read.error);
    const { carriedFrom } = read.data;
    if (carriedFrom !== undefined) {
      origin = carriedFrom === "run" ? "carried" : "replayed";
      return read.data.trial;
    }
    origin = "rescore";
    return rescoreTrial(planned, rendered.data, read.data, run);
  });
  return { trial: made, origin };
}

/** A trial of an earlier session, whose assertions have changed since. */
function readAs({ trial, stands = false }: EarlierTrial): ReadTrial {
  return { trial, seen: null, stands };
}

type RescoringContext = JudgingContext & Pick<RunContext, "openDeadline" | "assertions" | "runId" | "workspaces">;

/** Evaluates the assertions of a case on a conversation that was held before. Asks no model but judges. */
async function rescoreTrial(
  planned: PlannedCase,
  rendered: RenderedCase,
  { trial: earlier, seen, stands }: ReadTrial,
  run: RescoringContext,
): Promise<TrialResult> {
  const ref: TrialRef = { suite: planned.suite, caseId: planned.id, trial: earlier.trial };
  run.emit({ channel: "progress", type: "trial:start", ...ref });
  if (stands) return earlier;
  const deadline = run.openDeadline(planned.timeouts.trialMs);
  const place = { planned, trial: earlier.trial, runId: run.runId };
  return trialOrError(place, deadline, () =>
    scoreAgain(planned, rendered, { trial: earlier, seen }, deadline, ref, run),
  );
}

async function scoreAgain(
  planned: PlannedCase,
  rendered: RenderedCase,
  { trial: earlier, seen }: Pick<ReadTrial, "trial" | "seen">,
  deadline: TrialDeadline,
  ref: TrialRef,
  run: RescoringContext,
): Promise<TrialResult> {
  const asked = earlier.judging ?? null;
  const files = restoreFiles(planned, earlier, run.workspaces);
  const around = { signal: deadline.signal, ...(files === null ? {} : { workspace: files }) };
  const { judging, settings } = openEvaluation(planned, rendered, ref, around, run, asked);
  const kept = earlier.assertions.filter(isDecidedBefore);
  const simulator = earlier.simulatedUser ?? null;
  const decided = kept.length === 0 ? null : { results: kept, costUsd: 0 };
  const before = withPause(decided, earlier.toolCalls, rendered.assertions);
  run.emit({ channel: "progress", type: "evaluation", ...ref });
  const evaluated =
    seen === null
      ? await evaluateConversation(
          planned,
          rendered,
          { transcript: earlier, before, simulator, workspace: earlier.workspace },
          totalsOf(earlier),
          settings,
        )
      : await evaluateTrial(rendered.assertions, seen, settings);
  await files?.close();
  run.budget.spend(evaluated.costUsd);
  const evaluatedBefore = earlier.assertions.filter((result) => !kept.includes(result));
  const costUsd = addCosts(addCosts(earlier.costUsd, -costOfResults(evaluatedBefore)), evaluated.costUsd);
  const scored = { ...earlier, costUsd, assertions: evaluated.assertions };
  if (earlier.injections !== undefined) {
    const injections = injectionsOf(earlier.injections, evaluated.assertions, isTaskDone(before, evaluated));
    Object.assign(scored, { injections });
  }
  // What judges have cost was spent, also where they are asked again.
  addJudging(scored, judging, asked);
  const origin = { runId: run.runId, test: planned.test.name, ...ref };
  const status = decideTrialStatus({
    stoppedBy: null,
    interruptedBy: deadline.reason,
    isLost: isLost(before),
    asserted: evaluated.asserted,
    toolCalls: [...everyCall(earlier.toolCalls)],
  });
  return maskSensitive<TrialResult>({ ...scored, ...locateStatus(status, origin) });
}
