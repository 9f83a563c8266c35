import * as z from "../../values/deferred-zod.js";
import { matcherSchema } from "../../matchers/matcher-schema.js";
import type { Matcher } from "../../matchers/matcher.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { toolGlob } from "../../schema-parts/tool-glob.js";

/** What becomes of a call that no rule is about. */
export const permissionModes = ["auto", "approval", "readonly"] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** The lists of rules, the one that counts most first. */
export const permissionLists = ["deny", "ask", "allow"] as const;
export type PermissionList = (typeof permissionLists)[number];

/** The calls that a rule is about. */
export interface CallPattern {
  /** Glob. */
  tool: string;
  /** Of the arguments; null for any. May hold placeholders. */
  args: Matcher | null;
}

export type Permissions = { mode: PermissionMode } & Readonly<Record<PermissionList, readonly CallPattern[]>>;

/** An answer to a call that has to be approved. */
export interface Approval extends CallPattern {
  /** Answers the n-th call that the entry is about, from 1; null for every one. */
  call: number | null;
  decision: "approve" | "deny";
  note: string | null;
}

const toolKey = toolGlob.describe("Name of the tool; * and ? stand for any text and any character");
const argsKey = matcherSchema.optional().describe("The arguments must match this. Default: any");

const ruleSchema = z
  .union([toolGlob, strictObject({ tool: toolKey, args: argsKey })])
  .transform((written): CallPattern =>
    typeof written === "string" ? { tool: written, args: null } : { tool: written.tool, args: written.args ?? null },
  );

const ruleList = z.array(ruleSchema).default([]);

/** `permissions:` of a suite or test. */
export const permissionsSchema: z.ZodType<Permissions> = strictObject({
  mode: z
    .enum(permissionModes)
    .default("auto")
    .describe(
      "What happens to calls that no rule matches: auto runs them (default), approval asks for each, readonly runs tools with the attribute readonly and denies the others",
    ),
  deny: ruleList.describe("Calls that are denied, whatever else matches them"),
  ask: ruleList.describe("Calls that need an approval unless they are denied"),
  allow: ruleList.describe("Calls that run in every mode unless they are denied or need an approval"),
})
  .describe("Which tool calls may run: by mode, by tool, and by arguments")
  .meta({
    examples: [
      { mode: "readonly" },
      { mode: "approval", allow: ["fs_read"], deny: [{ tool: "bash_run", args: { cmd: { $regex: "\\brm\\b" } } }] },
    ],
  });

/** `approvals:` of a suite or test. */
export const approvalsSchema: z.ZodType<readonly Approval[]> = z
  .array(
    strictObject({
      tool: toolKey,
      args: argsKey,
      call: z
        .int()
        .min(1)
        .optional()
        .describe("Answers only the n-th call that needs an approval and matches tool and args, counting from 1"),
      decision: z.enum(["approve", "deny"]).describe("Whether the tool runs"),
      note: z.string().min(1).optional().describe("Why; the agent receives it as the error of a denied call"),
    }).transform(({ tool, args, call, decision, note }): Approval => ({
      tool,
      args: args ?? null,
      call: call ?? null,
      decision,
      note: note ?? null,
    })),
  )
  .describe("Answers to calls that need an approval; the first that matches counts. Without one, the trial is paused")
  .meta({
    examples: [
      [
        { tool: "fs_*", decision: "approve" },
        { tool: "bash_run", call: 1, decision: "deny", note: "Ask me first" },
      ],
    ],
  });
