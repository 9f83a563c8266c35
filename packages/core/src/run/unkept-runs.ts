import type { RunResult } from "../engine/run-result.js";
import type { RunFindings } from "./assemble-result.js";

type Judged = Pick<RunFindings, "rules" | "haltedBy">;

const unkept = new WeakMap<RunResult, Judged>();

/** Remembers what only the folder of the run would have had, as long as the result is used. */
export function noteUnkept(result: RunResult, { rules, haltedBy }: Judged): void {
  unkept.set(result, { rules, haltedBy });
}

/** What a run was judged by whose folder could not be written, such as on a full disk; null for any other. */
export function judgedUnkept(result: RunResult): Judged | null {
  return unkept.get(result) ?? null;
}
