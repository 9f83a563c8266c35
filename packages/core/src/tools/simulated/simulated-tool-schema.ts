import * as z from "../../values/deferred-zod.js";
import type { Matcher } from "../../matchers/matcher.js";
import { matcherSchema } from "../../matchers/matcher-schema.js";
import { durationSchema } from "../../schema-parts/duration-schema.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { JsonValue } from "../../values/json.js";
import { isTemplate } from "../../values/template.js";
import { statePathProblem, stepsOf } from "../state-path.js";
import type { SimulatedReply, SimulatedResponse, StateCondition } from "../tool-config.js";
import { toolErrorSchema } from "../tool-error-schema.js";

const statePathSchema = z.string().superRefine((path, context) => {
  const problem = statePathProblem(path);
  if (problem !== null) context.addIssue({ code: "custom", message: problem });
});

const replyKeys = {
  return: z.custom<JsonValue>().optional().describe("What the tool returns: any value; strings may hold {{args.x}}"),
  error: toolErrorSchema.optional().describe("Fails the call with this error"),
  hang: z.literal(true).optional().describe("Never answers: the deadline of the tool ends the call as aborted"),
  delay: durationSchema.optional().describe("How long the tool takes, such as 2s"),
  set: z
    .record(
      statePathSchema,
      z.custom<JsonValue>((value) => value !== undefined),
    )
    .optional()
    .describe("Changes the state of the trial, path by path, before the answer is given")
    .meta({ examples: [{ cancelled: true }, { "orders.{{args.order_id}}.status": "cancelled" }] }),
};

const answerKeys = {
  ...replyKeys,
  sequence: z
    .array(strictObject(replyKeys))
    .min(1)
    .optional()
    .describe("Answers used one after the other; the last one goes on answering, unless `times` ends it")
    .meta({ examples: [[{ error: { message: "upstream timed out" } }, { return: { status: "delivered" } }]] }),
};

type WrittenReply = z.output<ReturnType<typeof strictObject<typeof replyKeys>>>;
type WrittenAnswer = z.output<ReturnType<typeof strictObject<typeof answerKeys>>>;

const answerNames = ["return", "error", "hang", "sequence"] as const;

/** The replies that an answer stands for; what is wrong with it is an issue of the context. */
function toReplies(written: WrittenAnswer, context: z.RefinementCtx): readonly SimulatedReply[] {
  const { sequence, ...single } = written;
  if (sequence === undefined || givenAnswers(written).length > 1) return [toReply(written, 0, [], context)];
  if (single.set !== undefined) {
    context.addIssue({
      code: "custom",
      path: ["set"],
      message:
        '"set" next to a `sequence` belongs to none of its answers\nMove it to the answer that changes the state',
      params: { atKey: true },
    });
  }
  return sequence.map((reply, index) => toReply(reply, single.delay ?? 0, ["sequence", index], context));
}

function toReply(
  written: WrittenReply,
  delayMs: number,
  path: (string | number)[],
  context: z.RefinementCtx,
): SimulatedReply {
  const given = givenAnswers(written);
  const set = Object.entries(written.set ?? {}).map(([at, value]) => ({ steps: stepsOf(at), value }));
  const timing = { delayMs: written.delay ?? delayMs, set };
  if (given.length === 1) {
    if (written.hang !== undefined) return { ...timing, answer: "hang" };
    if (written.error !== undefined) return { ...timing, answer: { error: written.error } };
    return { ...timing, answer: { return: written.return ?? null } };
  }
  const [first, second] = given;
  context.addIssue({
    code: "custom",
    path,
    message:
      first === undefined
        ? "An answer needs `return` or `error`\nAdd `return: null` for a tool that returns nothing, or `hang: true` for one that never answers"
        : `An answer has either \`${first}\` or \`${second}\`, not both`,
  });
  return z.NEVER;
}

function givenAnswers(written: WrittenAnswer): readonly string[] {
  return answerNames.filter((name) => written[name] !== undefined);
}

/** `default:` of a tool. */
export const simulatedDefaultSchema = strictObject(answerKeys).transform(toReplies);

/** One entry of `responses:` of a tool. */
export const simulatedResponseSchema = strictObject({
  when: matcherSchema.optional().describe("Matcher that the arguments must satisfy; left out, it matches always"),
  state: z
    .record(statePathSchema, matcherSchema)
    .optional()
    .describe("Matchers that the state of the trial must satisfy, by path; left out, it matches always")
    .meta({ examples: [{ cancelled: true }, { "orders.{{args.order_id}}.status": { $not: "cancelled" } }] }),
  times: z.int().min(1).optional().describe("How often this response may be used. Default: unlimited"),
  call: z.int().min(1).optional().describe("Used for the n-th call of the tool only, counting from 1"),
  ...answerKeys,
}).transform((written, context): SimulatedResponse => {
  const { when, state, times, call, ...answer } = written;
  const uses = call === undefined ? times : 1;
  const length = answer.sequence?.length ?? 1;
  if (uses !== undefined && uses < length) {
    context.addIssue({
      code: "custom",
      path: [call === undefined ? "times" : "call"],
      message: `The sequence has ${length} answers, but the response is used ${uses === 1 ? "once" : `${uses} times`}\nLeave out ${call === undefined ? "`times`" : "`call`"}, or the answers that are never given`,
    });
  }
  // A matcher that names vars or columns has to wait until they have values, case by case.
  const condition =
    when !== undefined && isTemplate(when.source) ? { when: null, whenTemplate: when.source } : { when: when ?? null };
  return {
    ...condition,
    state: Object.entries(state ?? {}).map(toStateCondition),
    times: times ?? null,
    call: call ?? null,
    replies: toReplies(answer, context),
  };
});

function toStateCondition([path, matcher]: [string, Matcher]): StateCondition {
  const { source } = matcher;
  return { steps: stepsOf(path), source, matcher: isTemplate(source) ? null : matcher };
}
