import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { missingField } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";

export const exitCode = defineAssertion({
  type: "exit_code",
  summary: "The program under test ended its last answer with this exit code (command targets with `protocol: plain`).",
  example: "{ type: exit_code, value: 0 }",
  kind: "deterministic",
  options: strictObject({ value: z.int().nonnegative().describe("The exit code.") }),
  evaluate({ value }, trial) {
    const actual = trial.exitCode;
    if (actual === undefined) return missingField("exit_code", "exitCode");
    if (actual === value) return success({ pass: true, score: 1, message: `The exit code is ${value}` });
    const message = `Expected the exit code to be ${value}, but it is ${actual}`;
    return success({ pass: false, score: 0, message, expected: value, actual });
  },
});
