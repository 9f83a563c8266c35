import type { FaultKind } from "../../transcript/fired-fault.js";
import type { WrittenToolError } from "../tool-config.js";

/** What a fault does, with the settings of its kind. */
export type FaultEffect =
  | { kind: "error"; error: WrittenToolError }
  | { kind: "latency"; delayMs: number }
  | { kind: "hang" }
  /** Characters that are kept; null for half of them. */
  | { kind: "truncate"; keep: number | null }
  /** Paths such as `customer.email`; null for one field, chosen by the seed. */
  | { kind: "drop_fields"; fields: readonly string[] | null }
  | { kind: "malformed_json" }
  | { kind: "duplicate" };

/** A failure that is put between the runtime and a tool of whatever source. */
export interface Fault {
  /** Unique within its test; follows `+` in the ID of its case. */
  id: string;
  /** Name or glob. Calls of all tools it names are counted together. */
  tool: string;
  /** Fires from the n-th call on, from 1; null for no such condition. */
  call: number | null;
  /** How many calls it takes; null for one with `call`, and for all without. */
  times: number | null;
  /** Probability for each call; null for certainty. */
  rate: number | null;
  effect: FaultEffect;
}

/** `faults:` of a test or suite. */
export interface FaultPlan {
  /** Each fault has its own case, in addition to the one without faults. */
  expand: boolean;
  list: readonly Fault[];
}

/** The faults of one case. `id` is null in the clean case, and where all of them share one case. */
export interface FaultVariant {
  id: string | null;
  faults: readonly Fault[];
}

/** What a fault is called where the config gives it no `id`: its kind and tool, and a number where that is taken. */
export function nameFaults(faults: readonly { id?: string | undefined; kind: FaultKind; tool: string }[]): string[] {
  const taken = new Set(faults.flatMap(({ id }) => id ?? []));
  return faults.map(({ id, kind, tool }) => {
    if (id !== undefined) return id;
    const name = `${kind}:${tool}`;
    let free = name;
    for (let number = 2; taken.has(free); number += 1) free = `${name}:${number}`;
    taken.add(free);
    return free;
  });
}

const clean: FaultVariant = { id: null, faults: [] };
const noVariants = [clean] as const;

/** The variants of a test's cases: one for all faults, or the clean case and one for each. */
export function faultVariants(plan: FaultPlan | null): readonly [FaultVariant, ...FaultVariant[]] {
  if (plan === null || plan.list.length === 0) return noVariants;
  if (!plan.expand) return [{ id: null, faults: plan.list }];
  return [clean, ...plan.list.map((fault) => ({ id: fault.id, faults: [fault] }))];
}
