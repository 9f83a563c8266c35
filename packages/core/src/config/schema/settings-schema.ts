import * as z from "../../values/deferred-zod.js";
import { deadlineSchema } from "../../schema-parts/duration-schema.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { JsonValue } from "../../values/json.js";

/** The nearest key, where the same setting is written at several levels. */
const requestTimeouts = {
  connect: deadlineSchema.optional().describe("Until the connection to a provider stands. Default: 10s"),
  headers: deadlineSchema.optional().describe("Until the first byte of a reply. Default: 60s"),
  idle: deadlineSchema.optional().describe("The longest pause within a reply. Default: 30s"),
  request: deadlineSchema.optional().describe("One request to a provider, start to end. Default: 60s"),
};

const trialTimeouts = {
  ...requestTimeouts,
  tool: deadlineSchema.optional().describe("One call of a tool. Default: 60s"),
  trial: deadlineSchema.optional().describe("One trial, all its requests and tool calls. Default: 5m"),
};

const timeoutsText = "Deadlines; the nearest level that sets one wins";

export const modelTimeoutsSchema = strictObject(requestTimeouts)
  .describe(timeoutsText)
  .meta({ examples: [{ request: "2m" }] });
export const testTimeoutsSchema = strictObject(trialTimeouts)
  .describe(timeoutsText)
  .meta({ examples: [{ trial: "2m" }] });
export const runTimeoutsSchema = strictObject({
  ...trialTimeouts,
  run: deadlineSchema.optional().describe("The whole run. Default: no limit"),
})
  .describe(timeoutsText)
  .meta({ examples: [{ request: "60s", trial: "5m" }] });

const trialLimits = {
  max_turns: z.int().min(1).optional().describe("Requests to the model per user message. Default: 10"),
  max_tool_calls: z.int().min(0).optional().describe("Tool calls per trial. Default: 50"),
  max_trial_cost: z.number().min(0).optional().describe("US dollars that one trial may cost. Default: no limit"),
};

export const testLimitsSchema = strictObject(trialLimits)
  .describe("What a trial may use up")
  .meta({ examples: [{ max_turns: 5 }] });
export const runLimitsSchema = strictObject({
  ...trialLimits,
  max_cost: z.number().min(0).optional().describe("US dollars that the run may cost. Default: no limit"),
})
  .describe("What a trial and the run may use up")
  .meta({ examples: [{ max_turns: 10, max_tool_calls: 50, max_cost: 5 }] });

const trialsSchema = z.int().min(1).max(10_000);

/** `max`: null where the case has `min` trials, whatever the comparison with its baseline says. */
export interface WrittenRuns {
  min: number;
  max: number | null;
}

export const runsSchema = z
  .union([
    trialsSchema,
    strictObject({
      min: trialsSchema.describe("Trials that every case has"),
      max: trialsSchema.describe("Trials that a case may have while the comparison with the baseline is inconclusive"),
    }),
  ])
  .transform((written, context): WrittenRuns => {
    if (typeof written === "number") return { min: written, max: null };
    if (written.min <= written.max) return written;
    context.addIssue({
      code: "custom",
      path: ["max"],
      message: `"max" is ${written.max}, which is less than "min": ${written.min}\nWrite runs: { min: ${written.max}, max: ${written.min} }`,
    });
    return z.NEVER;
  })
  .describe(
    "Trials per case, or { min, max }: more than min while the comparison with the baseline is inconclusive. Default: 1",
  )
  .meta({ examples: [3, { min: 5, max: 20 }] });

/** Passing trials that a case needs; `of` is the n of `k/n`. */
export interface WrittenPass {
  count: number;
  of: number | null;
}

export const passSchema = z
  .union([z.int().min(1), z.string().meta({ pattern: "^\\s*\\d{1,6}\\s*/\\s*\\d{1,6}\\s*$" })])
  .transform((written, context): WrittenPass => {
    if (typeof written === "number") return { count: written, of: null };
    const match = /^\s*(\d{1,6})\s*\/\s*(\d{1,6})\s*$/.exec(written);
    const [count, of] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
    if (count >= 1 && of >= count) return { count, of };
    const reason =
      count > of && of > 0 ? "asks for more passing trials than there are" : "is not a number of passing trials";
    context.addIssue({
      code: "custom",
      message: `"${written}" ${reason}\nWrite a number, such as 4, or k/n with n equal to runs, such as 4/5`,
    });
    return z.NEVER;
  })
  .describe("Passing trials that a case needs (all): a number, or k/n where n is `runs`")
  .meta({ examples: ["4/5", 2] });

/** Names that have their own meaning in templates. */
export const reservedNames = ["args", "row", "state", "turn"] as const;

const placeholderName = /^[^{}]+$/;

export const varsSchema = z
  .record(
    z.string().regex(placeholderName, { error: "The name of a variable must not hold { or }" }),
    z.custom<JsonValue>((value) => value !== undefined),
  )
  .superRefine((vars, context) => {
    for (const name of reservedNames) {
      if (!Object.hasOwn(vars, name)) continue;
      context.addIssue({
        code: "custom",
        path: [name],
        message: `"${name}" is a reserved name\nReserved are ${reservedNames.join(", ")}; choose another`,
        params: { atKey: true },
      });
    }
  })
  .describe("Values for {{placeholders}}; those of a test win over those of its suite and of the run")
  .meta({ examples: [{ city: "Lisbon" }] });

/** A name that is part of a case ID and fits on one line of a report. */
export const nameSchema = z
  .string()
  .trim()
  .min(1)
  .regex(/^[^\r\n\t]*$/, { error: "A name stands on one line" });

export const modelNamesSchema = z
  .array(z.string().min(1))
  .min(1)
  .describe("Models to run on: ids of `models`, or provider:model")
  .meta({ examples: [["gpt", "openai:gpt-4.1-mini"]] });

export const judgeSchema = z
  .string()
  .min(1)
  .describe(
    "The model that judges where an assertion asks for a judge and names none: an id of models, or provider:model",
  )
  .meta({ examples: ["claude", "openai:gpt-4.1-mini"] });

export const embedderSchema = z
  .string()
  .min(1)
  .describe(
    "The embedding model, for assertions with method embedding that name none: an id of models, or provider:model",
  )
  .meta({ examples: ["openai:text-embedding-3-small"] });

/** A list of assertions; each is read by its own type. */
export function assertListSchema(assertion: z.ZodType<unknown>): z.ZodType<unknown[]> {
  return z
    .array(assertion)
    .min(1, { error: 'An empty "assert" checks nothing\nAdd an assertion, or remove the key' })
    .describe("What must hold after each trial; those of test, suite and defaults add up")
    .meta({ examples: [[{ type: "contains", value: "delivered" }]] });
}
