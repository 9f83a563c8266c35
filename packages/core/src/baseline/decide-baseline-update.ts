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

/** The suites of a run that are to be blessed, or why none of them can be. */
export type BaselineUpdate = { suites: readonly SuiteResult[]; refusal: null } | { refusal: KindlmError };

/** Decides whether a run can be blessed at all: a part of one cannot, nor one that was stopped or met errors. */
export function decideBaselineUpdate({ result, wanted, allowErrored }: BaselineUpdateQuestion): BaselineUpdate {
  const { id, shard, interrupted, scored } = result.run;
  if (scored?.from === "transcripts") {
    const message = `Run ${id} scored transcripts, and what their agent was given is not known`;
    return refuse(message, "Bless a run of the tests: kindlm test, then kindlm baseline set");
  }
  if (shard !== undefined) {
    const message = `Run ${id} is shard ${shard.index} of ${shard.of}, and no whole run`;
    return refuse(message, "Bless the merged run: kindlm merge, then kindlm baseline set");
  }
  if (interrupted) {
    return refuse(`Run ${id} was stopped before its end`, `Go on with it: kindlm test --resume --run ${id}`);
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
    const hint = `Run them again: kindlm test --resume --run ${id}. Or bless the others: kindlm baseline set --allow-errored`;
    return refuse(message, hint);
  }
  const suites = meant.filter(({ tests }) => tests.some((test) => usabilityOf(test).reason === null));
  return suites.length > 0 ? { suites, refusal: null } : refuse(...whyNothing(id, meant));
}

/** One reason stands for all of them. */
function whyNothing(id: string, suites: readonly SuiteResult[]): readonly [message: string, hint: string] {
  const message = `Run ${id} has no case that could be blessed`;
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
