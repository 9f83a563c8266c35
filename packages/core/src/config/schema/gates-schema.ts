import * as z from "../../values/deferred-zod.js";
import { durationSchema } from "../../schema-parts/duration-schema.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { ToolErrorType } from "../../transcript/tool-failure.js";

const share = z.number().min(0).max(1).optional();
const errorCount = z.int().min(0).optional();

/** `gates`, of the run and of a suite. */
export const gatesSchema = strictObject({
  pass_rate: share.describe("The least share of cases that must pass; needs exit_on: gates").meta({ examples: [0.95] }),
  first_try: share
    .describe("The least share of cases with retry_until that must pass without a rejected answer")
    .meta({ examples: [0.8] }),
  judge_avg: share
    .describe("The least mean score of judge assertions, over all trials; trips where no judge gave a score")
    .meta({ examples: [0.8] }),
  errored: z.int().min(0).optional().describe("The most cases that may be errored"),
  regressions: z
    .int()
    .min(0)
    .optional()
    .describe(
      "The most cases that may be flagged as worse than the baseline; a suite that is regressed always trips it",
    )
    .meta({ examples: [0] }),
  on_inconclusive: z
    .enum(["pass", "fail"])
    .optional()
    .describe("Whether a comparison with the baseline that cannot tell passes (pass)")
    .meta({ examples: ["fail"] }),
  cost: z
    .number()
    .min(0)
    .optional()
    .describe("The most that it may cost, US dollars")
    .meta({ examples: [2] }),
  tool_errors: z
    .union([
      z.int().min(0),
      strictObject({
        validation: errorCount.describe("Arguments that break the tool's schema, and tools that do not exist"),
        runtime: errorCount.describe("The tool threw"),
        logical: errorCount.describe("The tool said that it failed"),
        aborted: errorCount.describe("Timeouts and interruptions"),
        exception: errorCount.describe("Failures around the tool"),
      } satisfies Record<ToolErrorType, typeof errorCount>),
    ])
    .optional()
    .describe("The most calls of tools that may end in an error: of all types together, or by type")
    .meta({ examples: [{ validation: 5 }, 20] }),
  latency_p95: durationSchema
    .optional()
    .describe("The highest 95th percentile of the latency of trials")
    .meta({ examples: ["8s"] }),
});

export type WrittenGates = z.output<typeof gatesSchema>;
