import type { RunResult, TrialResult } from "../engine/run-result.js";
import type { ModuleScope, RunAction } from "../modules/module-action.js";
import { moduleFailure, runUserCode } from "../modules/module-failure.js";
import { success } from "../result.js";
import { deepFreeze } from "../values/deep-freeze.js";
import { isRecord } from "../values/json.js";
import { preview } from "../values/preview.js";
import type { ReporterDefinition } from "./define-reporter.js";
import type { RenderInput, TrialQuestion } from "./reporter-action.js";

/** Renders a run, inside the worker. */
export const runReporter: RunAction<RenderInput, null> = async ({ result, options }, scope) => {
  const loaded = await scope.load();
  if (!loaded.success) return moduleFailure("missing", loaded.error.message, loaded.error.cause);
  const reporter = loaded.data;
  if (!isReporter(reporter)) return moduleFailure("unfit", "is not a reporter");
  const data: RunResult = deepFreeze({ ...result, trials: (caseId?: string) => trialsOf(caseId, scope) });
  const rendered = await runUserCode(async () => {
    const pieces: AsyncIterable<unknown> = reporter.render(data, { ...options, redact: (text) => text });
    for await (const piece of pieces) {
      if (typeof piece !== "string") return moduleFailure("unfit", `rendered ${preview(piece)}, which is not a string`);
      scope.notify(piece);
    }
    return success(null);
  });
  return rendered.success ? rendered.data : rendered;
};

async function* trialsOf(caseId: string | undefined, scope: ModuleScope): AsyncIterable<TrialResult> {
  const ask = (question: TrialQuestion): Promise<unknown> => scope.ask(question);
  const stream = Number(await ask({ open: caseId ?? null }));
  for (;;) {
    const next = await ask({ next: stream });
    if (!isTrial(next)) return;
    yield deepFreeze(next);
  }
}

/** What create-module-reporter.ts answers is a trial, or null after the last one. */
function isTrial(value: unknown): value is TrialResult {
  return value !== null;
}

function isReporter(value: unknown): value is ReporterDefinition {
  return isRecord(value) && typeof value["render"] === "function";
}
