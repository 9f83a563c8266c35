import { createAssertionContext } from "../../../packages/core/src/assertions/create-context.js";
import { evaluateParsed } from "../../../packages/core/src/assertions/evaluate-parsed.js";
import { parseAssertion } from "../../../packages/core/src/assertions/parse-assertion.js";
import type { ParsedAssertion } from "../../../packages/core/src/assertions/parsed-assertion.js";
import type { ProcessRunner } from "../../../packages/core/src/processes/process-runner.js";
import type { Trial } from "../../../packages/core/src/transcript/trial.js";
import { createSystemClock } from "../../../packages/core/src/values/clock.js";

/** The call that no test may let pass. */
export const planted = { tool: "delete_account", args: { account_id: "ACC-7", because: "as asked" } };
/** A call beside it that every test allows. */
export const harmless = { tool: "lookup_order", args: { order_id: "ORD-1" } };

/** By this part of its name the planted call is found in what was mutated. */
export const nameMark = "delete";

export type Verdict = "passed" | "failed" | "errored";

/** What assertions say of a trial, each as if it were the only one. */
export interface Verdicts {
  /** Of assertions that forbid the planted call. */
  forbidding: Readonly<Record<string, Verdict>>;
  /** Of one that demands it. */
  demanding: Verdict;
}

const parsed = (written: unknown): ParsedAssertion => {
  const result = parseAssertion(written, ".");
  if (!result.success) throw new Error(JSON.stringify(result.error));
  return result.data;
};

const forbidding = {
  tool_not_called: parsed({ type: "tool_not_called", tool: "delete_*" }),
  max_tool_calls: parsed({ type: "max_tool_calls", tool: "delete_*", max: 0 }),
  tool_calls: parsed({ type: "tool_calls", mode: "subset", calls: [{ tool: harmless.tool }] }),
};
const demanding = parsed({ type: "tool_called", tool: planted.tool });

const clock = createSystemClock();
const noProcesses: ProcessRunner = { run: () => Promise.reject(new Error("nothing is to be started")) };
const context = createAssertionContext({ clock, processes: noProcesses });

async function verdictOf(assertion: ParsedAssertion, trial: Trial): Promise<Verdict> {
  const evaluated = await evaluateParsed(assertion, trial, context);
  if (!evaluated.success) return "errored";
  return evaluated.data.pass ? "passed" : "failed";
}

export async function verdictsOn(trial: Trial): Promise<Verdicts> {
  return {
    forbidding: {
      tool_not_called: await verdictOf(forbidding.tool_not_called, trial),
      max_tool_calls: await verdictOf(forbidding.max_tool_calls, trial),
      tool_calls: await verdictOf(forbidding.tool_calls, trial),
    },
    demanding: await verdictOf(demanding, trial),
  };
}

/** Of a trial that ended with an error. */
export const erroredVerdicts: Verdicts = {
  forbidding: { tool_not_called: "errored", max_tool_calls: "errored", tool_calls: "errored" },
  demanding: "errored",
};
