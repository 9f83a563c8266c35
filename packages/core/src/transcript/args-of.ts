import { withExactIntegers } from "../values/exact-integers.js";
import type { TrialToolCall } from "./trial.js";

/** The arguments of a call as matchers compare them: with every digit of large integers. */
export function argsOf({ args, exactIntegers }: Pick<TrialToolCall, "args" | "exactIntegers">): unknown {
  return exactIntegers === undefined ? args : withExactIntegers(args, exactIntegers);
}
