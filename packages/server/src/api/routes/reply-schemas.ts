import * as z from "zod";

export const errorReply = z.object({
  error: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
});

export const runReply = z.object({
  run: z.string(),
  state: z.enum(["uploading", "complete"]),
  url: z.string().describe("Where people see the run"),
});

export const runRowReply = z.object({
  run: z.string(),
  started_ms: z.number(),
  uploaded_ms: z.number(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  verdict: z.enum(["passed", "failed"]),
  passed: z.number(),
  failed: z.number(),
  errored: z.number(),
  skipped: z.number(),
  pass_rate: z.number().nullable(),
  cost_usd: z.number().nullable(),
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
  shard_index: z.number().nullable(),
  shard_of: z.number().nullable(),
  note: z.string().nullable().describe("Why core refuses to merge the shards"),
});

export const pageOf = (item: z.ZodType): z.ZodType =>
  z.object({ items: z.array(item), next: z.string().nullable().describe("Pass as `after` for the next page") });

export const tokenReply = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  projects: z.array(z.string()).nullable(),
  created_ms: z.number(),
  expires_ms: z.number(),
  used_ms: z.number().nullable(),
  email: z.string().nullable().describe("Of the person who logged in for it"),
});

export const auditReply = z.object({
  at_ms: z.number(),
  actor: z.string().describe("ID of a person or a token"),
  actor_name: z.string().nullable().describe("Email of the person, or name of the token"),
  action: z.string(),
  subject: z.string(),
});
