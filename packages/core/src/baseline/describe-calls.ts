import type { TrialResult } from "../engine/run-result.js";
import { canonicalJson } from "../values/canonical-json.js";
import { isRecord } from "../values/json.js";

/** Longer arguments would bury the order of the calls. */
const longestArguments = 160;

/** The tools that a trial called, in their order, with their arguments where these are short. Rejected tries are left out. */
export function describeCalls(
  trial: Pick<TrialResult, "toolCalls">,
  redact: (text: string) => string,
): readonly string[] {
  return trial.toolCalls
    .filter(({ rejectedTry }) => rejectedTry === undefined)
    .map(({ tool, args }) => {
      const isBare = args === undefined || (isRecord(args) && Object.keys(args).length === 0);
      const text = isBare ? "" : redact(canonicalJson(args));
      return `${redact(tool)}${text === "" ? "" : text.length > longestArguments ? " …" : ` ${text}`}`;
    });
}
