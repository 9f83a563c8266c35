import { withExactIntegers, type ExactIntegers } from "../values/exact-integers.js";

/** The arguments of a call as matchers compare them: with every digit of large integers. */
export function argsOf({
  args,
  exactIntegers,
}: {
  args?: unknown;
  exactIntegers?: ExactIntegers | undefined;
}): unknown {
  return exactIntegers === undefined ? args : withExactIntegers(args, exactIntegers);
}
