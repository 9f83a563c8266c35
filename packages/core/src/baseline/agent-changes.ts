import type { AgentParts } from "../plan/identity/agent-parts.js";

/** The agent of a case, as far as it is known. */
export interface SeenAgent {
  agentHash: string;
  agent: AgentParts | null;
  servedBy: string | null;
}

/** In the order in which people look for them; what else there may be comes after these. */
const known = ["prompt", "model", "script", "params", "tools", "target", "fallback"];

/** What is another about the agents of the cases than it was, each thing once. */
export function agentChanges(pairs: Iterable<{ before: SeenAgent; after: SeenAgent }>): readonly string[] {
  const parts = new Set<string>();
  const served = new Set<string>();
  for (const { before, after } of pairs) {
    if (before.agentHash !== after.agentHash) for (const part of changedParts(before, after)) parts.add(part);
    if (before.servedBy !== null && after.servedBy !== null && before.servedBy !== after.servedBy) {
      served.add(`model as served: ${after.servedBy}, was ${before.servedBy}`);
    }
  }
  const others = [...parts].filter((part) => !known.includes(part)).toSorted();
  return [...known.filter((part) => parts.has(part)), ...others, ...[...served].toSorted()];
}

function changedParts({ agent: before }: SeenAgent, { agent: after }: SeenAgent): readonly string[] {
  const [was, is] = [before ?? {}, after ?? {}];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const changed = before === null || after === null ? [] : names.filter((name) => was[name] !== is[name]);
  return changed.length === 0 ? ["agent"] : changed;
}
