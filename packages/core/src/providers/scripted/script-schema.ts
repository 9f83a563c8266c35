import * as z from "../../values/deferred-zod.js";
import { matcherSchema } from "../../matchers/matcher-schema.js";
import { durationSchema } from "../../schema-parts/duration-schema.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { finishReasons } from "../provider.js";
import type { Matcher } from "../../matchers/matcher.js";
import type { SchemaProblem } from "../../errors/schema-problem.js";

const toolCallSchema = strictObject({
  tool: z.string().min(1).describe("Name of the tool"),
  args: z.record(z.string(), z.json()).optional().describe("Arguments; strings may hold placeholders"),
  id: z.string().min(1).optional().describe("Id of the call; default: made from turn and position"),
  raw_args: z.string().optional().describe("Arguments as raw text, to rehearse text that is not JSON"),
}).refine((call) => call.args === undefined || call.raw_args === undefined, "A call takes args or raw_args, not both");

const errorSchema = strictObject({
  status: z.int().min(300).max(599).describe("HTTP status of the reply"),
  body: z.json().optional().describe("Body: a string, or data that is sent as JSON"),
  headers: z.record(z.string(), z.string()).optional().describe("Headers of the reply"),
  retry_after: durationSchema.optional().describe("How long the server asks to wait"),
});

const dropSchema = z.union([
  z.int().min(0),
  strictObject({ bytes: z.int().min(0).describe("Bytes of the answer that arrive") }),
  strictObject({ chunks: z.int().min(0).describe("Words of the answer that arrive") }),
]);

/** What the model answers with. */
export const replySchema = strictObject({
  text: z.string().optional().describe("The answer; may hold placeholders such as {{args.order_id}}"),
  tool_calls: z.array(toolCallSchema).min(1).optional().describe("Tools to call, all in one turn"),
  json: z.json().optional().describe("The answer as data, sent as JSON text"),
  error: errorSchema.optional().describe("An HTTP error instead of an answer"),
  delay: durationSchema.optional().describe("Waits before it answers"),
  hang: z.literal(true).optional().describe("Never answers: the request's deadline ends it"),
  drop_after: dropSchema
    .optional()
    .describe("Number of bytes, or of words as { chunks }, after which the connection breaks"),
  usage: strictObject({
    input_tokens: z.int().min(0).describe("Tokens of the request"),
    output_tokens: z.int().min(0).describe("Tokens of the answer"),
    cached_input_tokens: z.int().min(0).optional().describe("Those of the request that came from a cache"),
    reasoning_tokens: z.int().min(0).optional().describe("Those of the answer that went into reasoning"),
  })
    .optional()
    .describe("Token counts; default: characters divided by four, rounded up"),
  finish_reason: z.enum(finishReasons).optional().describe("Why the model stopped; default: by what it answers"),
}).superRefine((reply, context) => {
  // With an unknown key in it, the reply only looks as if it said nothing.
  if (context.issues.length > 0) return;
  const problem = contradictionIn(reply);
  if (problem !== null) context.addIssue({ code: "custom", message: problem });
});

const whenSchema = strictObject({
  user: matcherSchema.optional().describe("Text of the last user message"),
  turn: matcherSchema.optional().describe("Which request of the trial it is, from 1"),
  attempt: matcherSchema.optional().describe("Which try of this request it is, from 1; more than 1 after a retry"),
  last_tool_result: matcherSchema.optional().describe("What the last tool returned, parsed when it is JSON"),
  system: matcherSchema.optional().describe("The system prompt"),
  tools: matcherSchema.optional().describe("Names of the tools on offer"),
});

const ruleSchema = strictObject({
  when: whenSchema.optional().describe("All of it must match; a rule without it matches always"),
  reply: replySchema.optional().describe("What the model answers"),
  choose: z
    .array(
      strictObject({
        weight: z.number().positive().describe("How likely it is, relative to the weights of the others"),
        reply: replySchema.describe("What the model answers"),
      }),
    )
    .min(1)
    .optional()
    .describe("One of several replies, drawn by weight; repeatable for seed, case and trial"),
}).refine((rule) => (rule.reply === undefined) !== (rule.choose === undefined), "A rule takes reply or choose");

/** The script of a scripted model: its rules are tried in order for each request. */
export const scriptSchema = strictObject({
  rules: z.array(ruleSchema).default([]).describe("Tried in order for each request"),
  otherwise: replySchema.optional().describe("The answer when no rule matches"),
}).superRefine((script, context) => {
  for (const { path, message, hint } of scriptProblems(script)) {
    context.addIssue({
      code: "custom",
      path: [...path],
      message: hint === undefined ? message : `${message}\n${hint}`,
    });
  }
});

export type Reply = z.infer<typeof replySchema>;
export type Script = z.infer<typeof scriptSchema>;
export type Rule = Script["rules"][number];

function contradictionIn(reply: z.infer<typeof replySchema>): string | null {
  const answers = [reply.text, reply.json, reply.tool_calls].filter((part) => part !== undefined);
  if (reply.text !== undefined && reply.json !== undefined) return "A reply takes text or json, not both";
  if (reply.error !== undefined && answers.length > 0) return "A reply is an answer or an error, not both";
  if (reply.hang === true && (answers.length > 0 || reply.error !== undefined))
    return "A reply that hangs says nothing";
  if (answers.length > 0 || reply.error !== undefined || reply.hang === true || reply.drop_after !== undefined)
    return null;
  return "A reply needs text, tool_calls, json, error, hang or drop_after";
}

/** As much of a script as reachability depends on. */
interface Reachable {
  rules: readonly { when?: Readonly<Record<string, Matcher | undefined>> | undefined }[];
  otherwise?: unknown;
}

/** Steps that no request can reach, since the first rule that matches answers. */
export function scriptProblems(script: Reachable): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const seen = new Map<string, number>();
  let catchAll: number | null = null;
  for (const [index, { when }] of script.rules.entries()) {
    const condition = conditionOf(when);
    const earlier = catchAll ?? seen.get(condition) ?? null;
    if (earlier !== null) {
      const reason = catchAll === null ? "asks for the same" : "matches every request";
      problems.push({
        path: ["rules", index],
        message: `Rule ${index + 1} can never answer: rule ${earlier + 1} ${reason}`,
        hint: "The first rule that matches answers; put the special ones first",
      });
    }
    if (earlier === null) seen.set(condition, index);
    if (condition === "{}") catchAll ??= index;
  }
  if (catchAll !== null && script.otherwise !== undefined) {
    const message = `"otherwise" can never answer: rule ${catchAll + 1} matches every request`;
    problems.push({ path: ["otherwise"], message });
  }
  return problems;
}

/** The condition as text, with its keys in one order, so that equal ones are equal. */
function conditionOf(when: Readonly<Record<string, Matcher | undefined>> | undefined): string {
  const sources = Object.entries(when ?? {}).flatMap(([key, matcher]) =>
    matcher === undefined ? [] : [[key, matcher.source] as const],
  );
  return JSON.stringify(Object.fromEntries(sources.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}
