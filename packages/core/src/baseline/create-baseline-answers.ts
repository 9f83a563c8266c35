import type { BaselineAnswers } from "../engine/ports.js";
import type { Redactor } from "../redaction/redactor.js";
import { failure, success } from "../result.js";
import { baselinePlace } from "./baseline-place.js";
import type { BaselineStamps } from "./baseline-stamps.js";
import type { LoadedBaseline } from "./load-baseline.js";

/** Reads the baseline of each suite once, when it is first needed. `root`: the folder that contains `.kindlm`. */
export function createBaselineAnswers(
  root: string,
  redact: Redactor["redact"],
  since?: BaselineStamps,
): BaselineAnswers {
  const loading = new Map<string, Promise<LoadedBaseline>>();
  const load = async (suite: string): Promise<LoadedBaseline> => {
    const { loadBaseline } = await import("./load-baseline.js");
    return loadBaseline(baselinePlace(root, redact(suite)), since);
  };
  return {
    async answerOf(suite, caseId) {
      let loaded = loading.get(suite);
      if (loaded === undefined) loading.set(suite, (loaded = load(suite)));
      const found = await loaded;
      if (found.status === "none") return success(null);
      if (found.status === "unusable") return failure(found.error);
      return success(found.baseline.entries.get(redact(caseId))?.output ?? null);
    },
  };
}
