import { plural } from "../../../core/src/values/plural.js";
import type { ReportIndex } from "../report-data.js";

/** How the run came out, in one line. */
export function headline({ head: { counts, verdict }, kinds, causes }: ReportIndex): string {
  if (counts.failed > 0 && kinds.length > 0)
    return `${plural(counts.failed, "case")} failed in ${plural(kinds.length, "way")}`;
  if (counts.failed > 0) return `${plural(counts.failed, "case")} failed`;
  if (counts.errored > 0)
    return causes.length > 0
      ? `No verdict for ${plural(counts.errored, "case")}: ${plural(causes.length, "cause")} of errors`
      : `No verdict for ${plural(counts.errored, "case")}`;
  return verdict === "passed" ? "Every case that ran passed" : "The run failed";
}
