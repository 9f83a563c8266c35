import type { AssertionContext } from "../assertions/define-assertion.js";
import type { PlannedCase, RenderedCase } from "../plan/run-plan.js";
import type { EvaluationSettings } from "./evaluate-trial.js";
import type { JudgingRecord } from "./judging/judging-record.js";
import { openJudging, type Judging, type JudgingContext } from "./judging/open-judging.js";
import type { RunContext } from "./run-context.js";
import type { TrialRef } from "./run-event.js";

/** How the assertions of a trial are evaluated, and the judges that they ask. `earlier`: as for `openJudging`. */
export function openEvaluation(
  planned: PlannedCase,
  rendered: RenderedCase,
  ref: TrialRef,
  { signal, ...files }: Pick<AssertionContext, "signal" | "workspace">,
  run: JudgingContext & Pick<RunContext, "assertions">,
  earlier: JudgingRecord | null = null,
): { judging: Judging; settings: EvaluationSettings } {
  const judging = openJudging(planned, ref, signal, run, earlier);
  return {
    judging,
    settings: {
      threshold: planned.test.threshold,
      offers: rendered.offers,
      context: { ...run.assertions, signal, timeoutMs: planned.timeouts.toolMs, models: judging.ports, ...files },
      onResult: (result, at) => run.emit({ channel: "monitor", type: "assertion", ...ref, result }, at),
    },
  };
}
