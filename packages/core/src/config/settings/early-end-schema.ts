import { strictObject } from "../../schema-parts/strict-object.js";
import * as z from "../../values/deferred-zod.js";

const builtinRisk = 0.05;

const risk = z.number().gt(0).lt(0.5);

const sprtSchema = strictObject({
  good: z
    .number()
    .gt(0)
    .max(1)
    .describe("A pass rate that is good enough")
    .meta({ examples: [0.95] }),
  bad: z
    .number()
    .min(0)
    .lt(1)
    .describe("A pass rate that is not; less than `good`")
    .meta({ examples: [0.8] }),
  alpha: risk.default(builtinRisk).describe("How often a good case may be called failed. Default: 0.05"),
  beta: risk.default(builtinRisk).describe("How often a bad case may be called passed. Default: 0.05"),
})
  .superRefine(({ good, bad }, context) => {
    if (bad < good) return;
    context.addIssue({
      code: "custom",
      path: ["bad"],
      message: `"bad" is ${bad}, which is not less than "good", ${good}\nWrite a pass rate that is too low, such as ${Math.max(0, Number((good - 0.15).toFixed(2)))}`,
    });
  })
  .describe("A sequential probability ratio test, which may end a case before pass is decided");

/** `early_end`, of a test, a suite and the defaults. */
export const earlyEndSchema = z
  .union([z.boolean(), strictObject({ sprt: sprtSchema })])
  .describe("Ends a case when its verdict is certain; such cases take no part in rates and baselines. Default: false")
  .meta({ examples: [true, { sprt: { good: 0.95, bad: 0.8 } }] });
