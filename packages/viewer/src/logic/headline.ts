import type { ReportIndex } from "../report-data.js";
import { counted } from "./format.js";

/** How the run came out, in one line. */
export function headline({ head: { counts, verdict }, kinds, causes }: ReportIndex): string {
  if (counts.failed > 0 && kinds.length > 0)
    return `${counted(counts.failed, "case")} failed in ${counted(kinds.length, "way")}`;
  if (counts.failed > 0) return `${counted(counts.failed, "case")} failed`;
  if (counts.errored > 0)
    return causes.length > 0
      ? `No verdict for ${counted(counts.errored, "case")}: ${counted(causes.length, "cause")} of errors`
      : `No verdict for ${counted(counts.errored, "case")}`;
  return verdict === "passed" ? "Every case that ran passed" : "The run failed";
}
