import { createContext, Script, type Context } from "node:vm";
import { attemptSync } from "../errors/boundary.js";
import { isRecord } from "../values/json.js";

/** Milliseconds that one evaluation may keep the process busy: Ctrl-C ends a run within two seconds. */
const mostMs = 1_500;
/** Parts and characters of what is evaluated that are certain to take milliseconds. */
const cheapSize = 20_000;

/** An evaluation took too long. It is neither a match nor a mismatch. */
class EvaluationTimeout extends Error {
  override readonly name = "EvaluationTimeout";

  constructor() {
    super(`Its evaluation took more than ${mostMs / 1_000} s and was ended`);
  }
}

/** The evaluation that goes on, with the time that its costly parts took. */
let evaluation: { slowMs: number; isTimed: boolean } | null = null;

/**
 * Evaluates something that a model or a tool contributed to. What is not certain to be cheap is ended after 1.5 s by an
 * {@link EvaluationTimeout}; that costs 0.1 ms. Evaluations inside of one share its time. What goes on after the first
 * `await` of an action is not watched.
 */
export function withinTime<T>(isCheap: () => boolean, action: () => T): T {
  if (evaluation !== null) return evaluation.isTimed || isCheap() ? action() : runSlowPart(mostMs, toTimeout, action);
  evaluation = { slowMs: 0, isTimed: !isCheap() };
  const evaluated = attemptSync(
    evaluation.isTimed ? () => runWithDeadline(mostMs, toTimeout, action) : action,
    (cause) => cause,
  );
  evaluation = null;
  if (!evaluated.success) throw evaluated.error;
  return evaluated.data;
}

function toTimeout(): Error {
  return new EvaluationTimeout();
}

/** Runs a costly part, such as a pattern, whose like may come often: together they have the time of the evaluation. */
export function runSlowPart<T>(timeoutMs: number, toError: () => Error, action: () => T): T {
  const startedAt = performance.now();
  const result = runWithDeadline(timeoutMs, toError, action);
  if (evaluation === null) return result;
  evaluation.slowMs += performance.now() - startedAt;
  if (evaluation.slowMs > mostMs) throw new EvaluationTimeout();
  return result;
}

/** Whether data is small. Looks at no more than it takes to know. */
export function isSmall(...values: readonly unknown[]): boolean {
  const left: unknown[] = [];
  let size = 0;
  /** Every trial comes through here, and most of what is in it is neither text nor holds any. */
  const add = (one: unknown): void => {
    if (typeof one === "string") size += one.length;
    else if (typeof one === "object" && one !== null) left.push(one);
  };
  for (const value of values) add(value);
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    size += 1;
    if (Array.isArray(one)) {
      size += one.length;
      if (size + left.length > cheapSize) return false;
      for (const item of one) add(item);
    } else if (isRecord(one)) {
      for (const key in one) {
        size += key.length + 1;
        if (size + left.length > cheapSize) return false;
        add(one[key]);
      }
    }
    if (size > cheapSize) return false;
  }
  return size <= cheapSize;
}

let sandbox: { context: Context; script: Script } | null = null;

/** The timeout of `vm` ends native code in the midst of its work, which nothing else in the process can do. */
function runWithDeadline<T>(timeoutMs: number, toError: () => Error, action: () => T): T {
  sandbox ??= { context: createContext({}), script: new Script("run()") };
  const { context, script } = sandbox;
  let outcome: { value: T } | undefined;
  context["run"] = () => {
    outcome = { value: action() };
  };
  const finished = attemptSync<unknown, unknown>(
    (): unknown => script.runInContext(context, { timeout: timeoutMs }),
    (cause) => cause,
  );
  if (finished.success && outcome !== undefined) return outcome.value;
  const cause = finished.success ? undefined : finished.error;
  // The error belongs to the other realm, where it is not an instance of this one's Error.
  throw isRecord(cause) && cause["code"] === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? toError() : cause;
}
