import * as z from "../values/deferred-zod.js";
import {
  indexedName,
  judgesSchema,
  simulatedUserSchema,
  spentFields,
  usageSchema,
  type CaseDocument,
} from "./case-document.js";
import { uploadFormat } from "./upload-limits.js";

const name = z.string().min(1).max(2_000);
const count = z.int().min(0).max(1_000_000_000);
const amount = z.number().min(0);
const rate = z.number().min(0).max(1);
const difference = z.number().min(-1).max(1);
const interval = z.tuple([z.number(), z.number()]).readonly();
const hash = z.string().min(1).max(80);
const moment = z.string().min(20).max(40);
const counts = z.record(z.string().max(200), count);
const quantiles = z.object({ p50: amount, p95: amount });

const meanRateSchema = z
  .object({ mean: rate, standardError: amount.nullable(), interval, cases: count, clusters: count })
  .nullable();

const injection = {
  utility: meanRateSchema,
  utilityUnderAttack: meanRateSchema,
  attackSuccessRate: meanRateSchema,
  cases: count,
  trials: count,
  succeeded: count,
};

/** How the agent fares under prompt injection. */
const injectionSchema = z.object({
  ...injection,
  byModel: z
    .array(z.object({ model: name, ...injection }))
    .readonly()
    .optional(),
  byStyle: z
    .array(z.object({ style: z.string().max(200), trials: count, succeeded: count, attackSuccessRate: meanRateSchema }))
    .readonly()
    .optional(),
});

const figures = {
  total: count,
  passed: count,
  failed: count,
  errored: count,
  skipped: count,
  allowedFailures: count,
  passRate: rate.nullable(),
  interval: interval.nullable(),
  meanRate: meanRateSchema,
  errorRate: rate.nullable(),
  firstTryRate: rate.nullable().optional(),
  firstTryInterval: interval.nullable().optional(),
  passK: z
    .array(z.object({ k: count, passAtK: rate, passHatK: rate, cases: count }))
    .readonly()
    .optional(),
  cutShort: z
    .object({ cases: count, shortened: count })
    .optional()
    .describe("Cases that early_end may cut short, which take no part in meanRate and passK"),
  injection: injectionSchema.optional(),
  costUsd: amount.nullable(),
  unpricedRequests: count,
  usage: usageSchema,
  latencyMs: quantiles.nullable(),
  requests: count,
  toolErrors: counts,
  judgeScore: z.object({ mean: rate, count }).optional(),
  replayed: count.optional(),
};

const limiterSchema = z.object({
  limit: count,
  rateLimits: count,
  lanes: z.array(z.object({ lane: name, ratePerSecond: amount.nullable(), rateLimits: count })).readonly(),
});

const summarySchema = z.object({
  ...figures,
  timeToFirstTokenMs: quantiles.nullable(),
  retries: count,
  fallbacks: count,
  providers: z.array(
    z.object({
      provider: name,
      requests: count,
      errors: count,
      errorRate: rate,
      errorsByCode: counts,
      limiter: limiterSchema.nullable(),
    }),
  ),
  failures: counts,
  simulatedUser: simulatedUserSchema.optional(),
  judges: judgesSchema.optional(),
  awaitingBaseline: count.optional(),
  nudges: count.optional(),
});

const gateSchema = z.object({
  name,
  suite: name.optional().describe("Absent for a gate of the run"),
  pass: z.boolean(),
  limit: z.number(),
  actual: z.number().nullable(),
  evaluated: z.literal(false).optional(),
});

const sideSchema = z.object({ passes: count, trials: count });
const changedSchema = z.object({
  caseId: name,
  critical: z.boolean(),
  baseline: sideSchema,
  candidate: sideSchema,
  p: rate.nullable(),
});

const comparedSchema = z.object({
  suite: name,
  status: z.literal("compared"),
  verdict: z.enum(["ok", "regressed", "inconclusive"]),
  alpha: rate,
  margin: rate,
  cases: count,
  noisyCases: count,
  clusters: count,
  meanDifference: difference.nullable(),
  interval: interval.nullable(),
  p: rate.nullable(),
  adjustedP: rate.optional(),
  baseline: z.object({
    setAt: moment,
    commit: z.string().max(80).nullable(),
    kindlm: z.string().max(40),
    passed: count,
    failed: count,
  }),
  worse: z.array(changedSchema),
  better: z.array(changedSchema),
  added: count,
  removed: count,
  changedChecks: count,
  uncompared: count,
});

const comparisonSchema = z.object({
  verdict: z.enum(["ok", "regressed", "inconclusive"]).nullable(),
  suites: z.array(
    z.discriminatedUnion("status", [comparedSchema, z.object({ suite: name, status: z.enum(["none", "unreadable"]) })]),
  ),
});

const limitSchema = z.union([z.number(), z.string().max(40), z.record(z.string().max(60), z.number())]);
const gatesSchema = z.record(z.string().max(60), limitSchema);

const shardSchema = z.object({
  index: count.min(1),
  of: count.min(1),
  suites: z.array(z.object({ name, cases: count })).readonly(),
  planHash: z.object({ cases: hash, contents: hash, rules: hash, durations: hash.nullable() }),
});

/** A run without its cases. */
export const runDocumentSchema = z.object({
  format: z.literal(uploadFormat),
  kindlm: z.string().min(1).max(40).describe("Version of KindLM"),
  run: z.string().regex(/^[\w.-]{1,100}$/),
  startedAt: moment,
  endedAt: moment,
  seed: z.int(),
  project: z.string().max(2_000).nullable().describe("Name that the config has"),
  configHash: hash.describe("Equal for runs of the same cases, tests and gates"),
  ciAttempt: z.string().max(200).nullable().describe("Build and attempt of the CI system"),
  commit: z.string().max(80).nullable(),
  branch: z.string().max(1_000).nullable(),
  dirty: z.boolean(),
  interrupted: z.boolean(),
  halted: z.boolean().describe("Not all cases were started"),
  verdict: z.enum(["passed", "failed"]),
  exitOn: z.enum(["tests", "gates"]),
  replayed: z.literal(true).optional(),
  resumed: count.optional(),
  shard: shardSchema.optional(),
  rules: z.object({ gates: gatesSchema, suiteGates: z.record(name, gatesSchema).optional() }),
  suites: z.array(
    z.object({
      name: indexedName,
      status: z.enum(["run", "skipped"]),
      error: z.string().max(60).optional(),
      cases: count,
      figures: z.object(figures),
    }),
  ),
  cases: count.describe("Cases of all parts together"),
  include: z.array(z.enum(["messages", "transcripts"])),
  summary: summarySchema,
  gates: z.array(gateSchema),
  comparison: comparisonSchema.nullable(),
  agents: z
    .record(z.string().max(80), z.record(z.string().max(200), z.string().max(80)))
    .describe("Hashes of the parts of each agent"),
  spent: z
    .array(z.object({ ...spentFields, caseId: name }))
    .describe("What trials took that were run again, so that they count no more"),
  mergedFrom: z.array(z.string().max(100)).optional().describe("Runs that this one replaces"),
});

export type RunDocument = z.infer<typeof runDocumentSchema>;
export type SummaryDocument = z.infer<typeof summarySchema>;
export type GateDocument = RunDocument["gates"][number];
export type UploadInclude = RunDocument["include"][number];

/** A run as one request, if it fits into one. */
export interface UploadDocument {
  run: RunDocument;
  cases: readonly CaseDocument[];
}
