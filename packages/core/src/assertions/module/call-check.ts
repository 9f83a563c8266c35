import type { Result } from "../../result.js";
import { success } from "../../result.js";
import type { Trial } from "../../transcript/trial.js";
import { renderDuration } from "../../values/duration.js";
import { evalError } from "../assertion-failure.js";
import type { AssertionOutcome } from "../assertion-result.js";
import type { AssertionContext } from "../define-assertion.js";
import { checkAction } from "./check-action.js";
import { race, type GivenUp } from "./race.js";

/** A check in a module of the user's. */
interface CheckCall {
  /** Of the assertion. */
  type: string;
  file: string;
  exportName: string;
  options: unknown;
  /** As the verdict calls the check. */
  name: string;
}

/** Calls a check in the worker. Fails with ASSERTION_EVAL_ERROR if it gives no verdict in time. */
export async function callCheck(
  { type, file, exportName, options, name }: CheckCall,
  trial: Trial,
  context: AssertionContext,
): Promise<Result<AssertionOutcome>> {
  const called = `${name} of ${file}`;
  const what = `check ${file}#${exportName}`;
  const blocker = (): string | null => context.modules.blockedBy(what);
  const raced = await race(
    (signal) =>
      context.modules.call({
        action: checkAction,
        file,
        exportName,
        what,
        input: { trial, options, name },
        signal,
        isRepeatable: true,
      }),
    context,
    // What waits for another check to be ended has not had its own time yet.
    () => blocker() !== null,
  );
  if (!raced.done) return evalError(type, `${called} ${givenUp(raced.reason, context.timeoutMs, blocker())}`);
  const outcome = raced.value;
  if (!outcome.success) {
    const { how, message, cause } = outcome.error;
    if (how === "missing") return evalError(type, message, cause);
    if (how === "unfit") return evalError(type, `The export "${exportName}" of ${file} ${message}`);
    return evalError(type, `${called} ${how === "threw" ? "threw: " : ""}${message}`, cause);
  }
  const verdict = outcome.data;
  if (verdict.success) return success(verdict.data);
  return evalError(type, `The result of ${called} is not a verdict: ${verdict.error}`);
}

function givenUp(reason: GivenUp, timeoutMs: number, blocker: string | null): string {
  if (reason === "abort") return "was interrupted";
  return `did not answer within ${renderDuration(timeoutMs)}${blocker === null ? "" : `, because the ${blocker} kept the worker busy`}`;
}
