import type { BaselineListing, KindlmError, SetBaselines } from "@kindlm/core";
import { errorNumber } from "@kindlm/core";

/** What `baseline set --json` prints. */
export function reportedSet({ run, suites, ignored }: SetBaselines, dryRun: boolean): unknown {
  return {
    dryRun,
    run,
    ignored,
    suites: suites.map(({ replaced, ...suite }) => ({ ...suite, replaced: reported(replaced) })),
  };
}

/** What `baseline list --json` prints of one. */
export function reportedListing({ problem, ...listing }: BaselineListing): unknown {
  return { ...listing, problem: reported(problem) };
}

function reported(error: KindlmError | null): unknown {
  return error === null ? null : { code: error.code, number: errorNumber(error.code), message: error.message };
}
