import * as z from "zod";
import { matcherSchema } from "../../matchers/matcher-schema.js";
import { durationSchema } from "../../schema-parts/duration-schema.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { toolErrorTypes } from "../../transcript/tool-failure.js";
import type { JsonValue } from "../../values/json.js";
import { isTemplate } from "../../values/template.js";
import type { SimulatedAnswer, SimulatedResponse } from "../tool-config.js";

const errorSchema = strictObject({
  type: z
    .enum(toolErrorTypes)
    .default("runtime")
    .describe("What kind of tool error the model is told; it also decides whether the error is retryable"),
  message: z
    .string()
    .describe("What went wrong, as the model reads it")
    .meta({ examples: ["upstream timed out"] }),
  retryable: z.boolean().optional().describe("Overrides what follows from the type, such as false for a payment"),
  recommendations: z.array(z.string()).optional().describe("Advice for the model, put into the error"),
});

const answerKeys = {
  return: z.custom<JsonValue>().optional().describe("What the tool returns: any value; strings may hold {{args.x}}"),
  error: errorSchema.optional().describe("Fails the call with this error"),
};

interface WrittenAnswer {
  return?: JsonValue | undefined;
  error?: z.output<typeof errorSchema> | undefined;
}

function toAnswer(written: WrittenAnswer, context: z.RefinementCtx): SimulatedAnswer {
  const returns = "return" in written && written.return !== undefined;
  if (returns && written.error === undefined) return { return: written.return ?? null };
  if (!returns && written.error !== undefined) return { error: written.error };
  context.addIssue({
    code: "custom",
    message: returns
      ? "An answer has either `return` or `error`, not both"
      : "An answer needs `return` or `error`\nAdd `return: null` for a tool that returns nothing",
  });
  return z.NEVER;
}

export const simulatedAnswerSchema = strictObject(answerKeys).transform(toAnswer);

export const simulatedResponseSchema = strictObject({
  when: matcherSchema.optional().describe("Matcher that the arguments must satisfy; left out, it matches always"),
  times: z.int().min(1).optional().describe("How often this response may be used; left out, for ever"),
  call: z.int().min(1).optional().describe("Used for the n-th call of the tool only, counting from 1"),
  delay: durationSchema.optional().describe("How long the tool takes, such as 2s"),
  ...answerKeys,
}).transform((written, context): SimulatedResponse => {
  const { when, times, call, delay, ...answer } = written;
  // A matcher that names vars or columns has to wait until they have values, case by case.
  const condition =
    when !== undefined && isTemplate(when.source) ? { when: null, whenTemplate: when.source } : { when: when ?? null };
  return {
    ...condition,
    times: times ?? null,
    call: call ?? null,
    delayMs: delay ?? 0,
    answer: toAnswer(answer, context),
  };
});
