import * as z from "../values/deferred-zod.js";

/** Text that KindLM or the config names something with. Longer names are a mistake, or an attack. */
const name = z.string().min(1).max(2_000);
/** A name that the server looks for, which no index can hold if it is longer. */
export const indexedName = name.refine((text) => Buffer.byteLength(text) <= 2_000, "At most 2,000 bytes of UTF-8");
const count = z.int().min(0).max(1_000_000_000);
const amount = z.number().min(0);
const rate = z.number().min(0).max(1);
const code = z.string().min(1).max(60);
/** Hash, or empty for a case that is never compared. */
const hash = z.string().max(80);
/** Of one case. The server adds them up. */
const trialCount = z.int().min(0).max(10_000);
const counts = z.record(z.string().max(200), count);

export const usageSchema = z.object({
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count.optional(),
  reasoningTokens: count.optional(),
});

/** An error without its message, which may quote what a provider, a tool or a model said. */
const errorSchema = z.object({
  code,
  by: z.enum(["agent", "outside"]).describe("Whose doing it is"),
});

const auxiliary = {
  requests: count,
  costUsd: amount.nullable(),
  unpricedRequests: count,
  usage: usageSchema,
};
export const judgesSchema = z.object(auxiliary);
export const simulatedUserSchema = z.object({ ...auxiliary, turns: count });

/** What a trial took. */
export const spentFields = {
  knownCostUsd: amount,
  unpricedRequests: count,
  usage: usageSchema,
  requests: count,
  retries: count,
  fallbacks: count,
  replayed: count,
  providers: z
    .array(z.object({ provider: name, requests: count, errors: count, byCode: counts }))
    .max(100)
    .describe("In the order of their first request"),
  attemptFailures: counts,
  simulatedUser: simulatedUserSchema.nullable(),
  judges: judgesSchema.nullable(),
};
const spentSchema = z.object(spentFields);

const assertionSchema = z.object({
  type: z.string().max(200),
  pass: z.boolean(),
  score: rate,
  weight: amount.optional(),
  skipped: z.literal(true).optional(),
  error: code.optional(),
  userTurn: count.optional(),
});

const trialSchema = z.object({
  ...spentFields,
  trial: count.describe("From 1 within the case"),
  status: z.enum(["passed", "failed", "errored"]),
  error: errorSchema.nullable(),
  durationMs: amount,
  waitedMs: amount.describe("Time spent waiting for the provider"),
  costUsd: amount.nullable(),
  latencyMs: amount.nullable().describe("The same as waitedMs if there was an answer, else null"),
  firstTokenMs: amount.nullable(),
  turns: count,
  toolCalls: count,
  nudges: count,
  awaitsBaseline: z.boolean(),
  failure: z.string().max(40).nullable(),
  toolErrors: z.array(z.string().max(40)).max(10_000).describe("Types of failed tool calls, in their order"),
  toolFallbacks: count,
  judgeScores: z.array(rate).max(10_000),
  assertions: z.array(assertionSchema).max(10_000),
  confirmation: z.literal(true).optional().describe("A confirmation trial of --confirm"),
});

const identity = {
  id: indexedName.describe("suite/test[row]@model#prompt+fault~arm"),
  suite: indexedName,
  name,
  row: z.string().max(2_000).nullable(),
  model: name,
  prompt: z.string().max(2_000).nullable(),
  fault: z.string().max(2_000).nullable(),
  arm: z.string().max(2_000).optional().describe("Absent if the suite has no arms"),
  tags: z.array(z.string().max(200)).max(1_000),
  critical: z.boolean(),
  allowFailure: z.boolean(),
  cluster: hash.optional().describe("Hash of the group that the config puts the case in"),
  place: count.optional().describe("Of a shard: place of the case in its suite of the whole run, from 0"),
  messages: z
    .object({
      reason: z.string().optional().describe("Why it was skipped"),
      error: z.string().optional(),
      trials: z.array(
        z.object({ trial: count, error: z.string().optional(), assertions: z.array(z.string()).max(10_000) }),
      ),
    })
    .optional()
    .describe("Messages of errors and assertions; only if the user includes messages"),
  transcripts: z
    .array(z.record(z.string(), z.json()))
    .optional()
    .describe("Trials as the JSON report shows them; only if the user includes transcripts"),
};

const skippedSchema = z.object({ ...identity, status: z.literal("skipped") });

const ranSchema = z.object({
  ...identity,
  status: z.enum(["passed", "failed", "errored"]),
  error: errorSchema.nullable(),
  mixed: z.boolean(),
  passes: trialCount,
  required: count,
  runs: count.describe("Trials asked for"),
  counted: trialCount.describe("Trials that count: not errored from outside"),
  latencyMs: amount.describe("Mean over the trials"),
  costUsd: amount.nullable().describe("Sum over the trials; null if a price is unknown"),
  usage: usageSchema.describe("Sum over the trials"),
  decisiveTrial: count,
  fallback: z.string().max(2_000).nullable(),
  agentHash: hash,
  checkHash: hash,
  servedBy: z.string().max(2_000).nullable().optional(),
  deterministic: z.literal(true).optional(),
  cutShort: z.boolean().optional().describe("Set where early_end may leave out trials; true if it did"),
  ranTrials: count.optional().describe("Trials that ran; set where cutShort is"),
  firstPasses: count.optional().describe("Trials that passed without a rejected answer, with retry_until"),
  nudges: z.object({ count, trials: count }).optional(),
  toolFallbacks: count.optional(),
  attack: z
    .object({
      counted: count,
      done: count,
      tasks: count,
      succeeded: count,
      styles: z.record(z.string().max(200), z.object({ counted: count, succeeded: count })),
    })
    .optional()
    .describe("Outcome of the attacks, over the trials"),
  confirmation: z
    .object({ passes: count, trials: count, isPassed: z.boolean() })
    .optional()
    .describe("Results of the confirmation trials of --confirm"),
  trials: z.array(z.compile(trialSchema)).max(10_000),
});

/** One case of an upload. */
export const caseDocumentSchema = z.discriminatedUnion("status", [ranSchema, skippedSchema]);

export type CaseDocument = z.infer<typeof caseDocumentSchema>;
export type RanCaseDocument = z.infer<typeof ranSchema>;
export type TrialDocument = z.infer<typeof trialSchema>;
export type SpentDocument = z.infer<typeof spentSchema>;
