import type { Redactor } from "../redaction/redactor.js";
import { failure, success, type Result } from "../result.js";
import { baselinePlace } from "./baseline-place.js";
import { loadBaseline, type LoadedBaseline } from "./load-baseline.js";

/** What was answered when a case was blessed. */
export interface BaselineAnswers {
  /**
   * Null where no baseline was set, or it has no such case or not its answer. Fails with BASELINE_CORRUPT and
   * BASELINE_VERSION_MISMATCH.
   */
  answerOf(suite: string, caseId: string): Promise<Result<string | null>>;
}

/** Reads the baseline of each suite once, when it is first asked for. `root`: the folder that `.kindlm` stands in. */
export function createBaselineAnswers(root: string, redact: Redactor["redact"]): BaselineAnswers {
  const loading = new Map<string, Promise<LoadedBaseline>>();
  return {
    async answerOf(suite, caseId) {
      let loaded = loading.get(suite);
      if (loaded === undefined) loading.set(suite, (loaded = loadBaseline(baselinePlace(root, redact(suite)))));
      const found = await loaded;
      if (found.status === "none") return success(null);
      if (found.status === "unusable") return failure(found.error);
      return success(found.baseline.entries.get(redact(caseId))?.output ?? null);
    },
  };
}
