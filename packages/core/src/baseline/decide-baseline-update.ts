import type { RunResult, SuiteResult } from "../engine/run-result.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { didYouMean } from "../values/nearest-name.js";
import { plural } from "../values/plural.js";
import { usabilityOf } from "./usability-of.js";

export interface BaselineUpdateQuestion {
  result: RunResult;
  /** Names of the suites that are meant; empty for all. */
  wanted: readonly string[];
  allowErrored: boolean;
}

/** The suites of a run to save, or the reason why none can be saved. */
export type BaselineUpdate = { suites: readonly SuiteResult[]; refusal: null } | { refusal: KindlmError };

/** Decides whether a run can be saved at all: a shard cannot, and neither can an interrupted run or one with errors. */
export function decideBaselineUpdate({ result, wanted, allowErrored }: BaselineUpdateQuestion): BaselineUpdate {
  const { id, shard, interrupted, scored } = result.run;
  if (scored?.from === "transcripts") {
    const message = `Run ${id} scored transcripts, so the input of their agent is unknown`;
    return refuse(message, "Save a run of the tests: kindlm test, then kindlm baseline set");
  }
  if (shard !== undefined) {
    const message = `Run ${id} is shard ${shard.index} of ${shard.of}, not a whole run`;
    return refuse(message, "Save the merged run: kindlm merge, then kindlm baseline set");
  }
  if (interrupted) {
    return refuse(`Run ${id} was interrupted`, `Resume it: kindlm test --resume --run ${id}`);
  }
  const names = result.suites.map(({ name }) => name);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, names) ?? `It has: ${names.join(", ")}`;
    return refuse(`Run ${id} has no suite "${unknown}"`, hint);
  }
  const meant = result.suites.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const errored = meant.flatMap(({ tests }) => tests).filter(({ status }) => status === "errored");
  const [first] = errored;
  if (first !== undefined && !allowErrored) {
    const named = `${first.id}${errored.length === 1 ? "" : " and others"}`;
    const message = `${plural(errored.length, "case")} of run ${id} errored: ${named}`;
    const hint = `Run them again: kindlm test --resume --run ${id}. Or save the others: kindlm baseline set --allow-errored`;
    return refuse(message, hint);
  }
  const suites = meant.filter(({ tests }) => tests.some((test) => usabilityOf(test).reason === null));
  return suites.length > 0 ? { suites, refusal: null } : refuse(...whyNothing(id, meant));
}

/** One reason stands for all of them. */
function whyNothing(id: string, suites: readonly SuiteResult[]): readonly [message: string, hint: string] {
  const message = `No case of run ${id} can be saved as a baseline`;
  const [first] = suites.flatMap(({ tests }) => tests);
  const reason = first === undefined ? null : usabilityOf(first).reason;
  if (first === undefined || reason === null) return [message, "Run the tests again: kindlm test"];
  const isBiased = first.status !== "skipped" && first.endedEarly !== undefined;
  const hint = isBiased ? "Run the tests without early_end" : "Run the tests again: kindlm test";
  return [`${message}: ${first.id} (${reason})`, hint];
}

function refuse(message: string, hint: string): BaselineUpdate {
  return { refusal: kindlmError("BASELINE_REFUSED", message, { details: { hint } }) };
}
