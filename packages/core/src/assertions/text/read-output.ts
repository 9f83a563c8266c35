import type * as z from "zod";
import { success, type Result } from "../../result.js";
import type { Trial } from "../../transcript/trial.js";
import { missingField } from "../assertion-failure.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { defineAssertion, type AssertionDefinition } from "../define-assertion.js";

/** The final answer of a trial. */
export function readOutput(trial: Trial, type: string): Result<string> {
  return trial.output === undefined ? missingField(type, "output") : success(trial.output);
}

interface TextCheck<Options> {
  type: string;
  summary: string;
  example: string;
  options: z.ZodType<Options>;
  /** Set if it looks for what must not be there. */
  isNegative?: boolean;
  /** `isNegative`: what is looked for counts against the trial if it is found, by the kind of check or by `not`. */
  check(options: Options, output: string, isNegative: boolean): AssertionOutcome;
}

/** Declares an assertion that looks at nothing but the final answer. */
export function defineTextCheck<Options>({
  check,
  isNegative: isForbidding = false,
  ...rest
}: TextCheck<Options>): AssertionDefinition<Options> {
  return defineAssertion({
    ...rest,
    kind: "deterministic",
    evaluate(options, trial, { isNegated = false }) {
      const output = readOutput(trial, rest.type);
      return output.success ? success(check(options, output.data, isForbidding !== isNegated)) : output;
    },
  });
}
