import type { ResolvedTest } from "../resolved-config.js";
import type { WrittenEarlyEnd } from "../schema/early-end-schema.js";

interface EarlyEndLevel {
  early_end?: WrittenEarlyEnd | undefined;
}

/** Whether cases end early, from the nearest level that says so. The levels come from near to far. */
export function resolveEarlyEnd(
  levels: readonly (EarlyEndLevel | undefined)[],
): Pick<ResolvedTest, "endsEarly" | "sprt"> {
  const written = levels.find((level) => level?.early_end !== undefined)?.early_end ?? false;
  if (written === false) return {};
  return written === true ? { endsEarly: true } : { endsEarly: true, sprt: written.sprt };
}
