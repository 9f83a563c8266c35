import type { ComparedSuite } from "@kindlm/core";
import { plural, withCounts } from "@kindlm/core/program";

/** How many trials the comparison took, and how many fewer or more that is than a fixed number that finds as much. */
export function describeLooks({ looks: found }: Pick<ComparedSuite, "looks">): string | null {
  if (found === undefined) return null;
  const { looks, maxLooks, trials, fixedTrials } = found;
  const saved = fixedTrials - trials;
  const compared = withCounts`${Math.abs(saved)} ${saved < 0 ? "more" : "fewer"} than a fixed number that finds as much`;
  return `${plural(trials, "trial")}, look ${looks} of ${maxLooks}${saved === 0 ? "" : `: ${compared}`}`;
}
