import { described } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { count, oneOf, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";

/** What can become of a call under `permissions`. */
export const permissionOutcomes = ["allowed", "approved", "denied", "pending"] as const;
export type PermissionOutcome = (typeof permissionOutcomes)[number];

/** What can decide about a call, or ask for its approval. */
const permissionSources = ["mode", "rule", "hook", "approval"] as const;

/** What asked for the approval of a call. */
const approvalRequestShape = record(
  {
    by: oneOf(["mode", "rule", "hook"]),
    /** The mode, the rule as `ask: bash_*`, or the name of the plugin. */
    rule: text,
  },
  { reason: described("The reason that the plugin gave", text) },
);
export type ApprovalRequest = Static<typeof approvalRequestShape>;

/** Whether a tool call was permitted. Absent from calls that the mode `auto` lets through. */
export const permissionDecisionShape = record(
  {
    decision: oneOf(permissionOutcomes),
    /** What decided; of a pending call, what asked for its approval. */
    by: oneOf(permissionSources),
  },
  {
    /** The ID of the call, under which its approval is asked for; absent if nobody had to approve it. */
    id: described("ID of the approval; absent if nobody had to approve the call", text),
    /** As in `asked`; absent if an approval decided, or none did. */
    rule: described("The mode, the rule, or the plugin that decided", text),
    /** From 1 in the list of the test. */
    approval: described("Which entry of approvals decided, from 1", count),
    note: described("The note of that entry", text),
    asked: described("Why the call needed an approval", approvalRequestShape),
  },
);
export type PermissionDecision = Static<typeof permissionDecisionShape>;
