import type { RunResult } from "@kindlm/core";

/** What the counters of the summary say by themselves. */
const counted = /^[\d,]+ (?:tests? (?:failed|errored)|suites? could not run)$/;

/**
 * The reasons that the counters do not show. With `exit_on: gates` a counter need not be a reason, so all of them are
 * named. Gates have their own section; they are named if they are the only reason.
 */
export function untoldReasons({ reasons, summary }: RunResult): readonly string[] {
  const others = reasons.filter((reason) => !counted.test(reason));
  const names = (status: string): boolean => reasons.some((reason) => counted.test(reason) && reason.endsWith(status));
  const isMisleading =
    (summary.failed > summary.allowedFailures && !names("failed")) || (summary.errored > 0 && !names("errored"));
  if (isMisleading) return reasons;
  return others.length === reasons.length ? others : others.filter((reason) => !reason.startsWith("gate "));
}
