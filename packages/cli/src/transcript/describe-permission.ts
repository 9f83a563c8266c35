import type { TrialToolCall } from "@kindlm/core";

/** Null for a call that may run without anybody's approval. */
export function describePermission(permission: TrialToolCall["permission"]): string | null {
  if (permission === undefined || permission.decision === "allowed") return null;
  const { decision, by, rule, approval, note, asked } = permission;
  if (decision === "pending") {
    const why = asked === undefined ? "" : ` (${sourceOf(asked.by, asked.rule)})`;
    return `the call waits for an approval${why}${asked?.reason === undefined ? "" : `: ${asked.reason}`}`;
  }
  const source = approval === undefined ? sourceOf(by, rule) : `approvals ${approval}`;
  return `${decision} the call (${source})${note === undefined ? "" : `: ${note}`}`;
}

function sourceOf(by: string, rule = ""): string {
  return by === "rule" ? rule : `${by === "hook" ? "plugin" : by} ${rule}`;
}
