import type { KindlmError, ProjectPlace, Result, RunResult } from "@kindlm/core";
import { success } from "@kindlm/core";
import type { CliEnvironment } from "../environment.js";
import type { EarlierResults } from "../reporters/report-options.js";

/** What a run was compared with when it ended, with the results of each case as far as its baselines are still the same. */
export async function baselinesOf(
  { comparison }: RunResult,
  project: ProjectPlace,
  { core }: CliEnvironment,
): Promise<readonly EarlierResults[]> {
  if (comparison === undefined) return [];
  const { showBaseline } = await import("@kindlm/core/commands/baselines");
  const compared = comparison.suites.flatMap((suite) => (suite.status === "compared" ? [suite] : []));
  const cases: EarlierResults["cases"][number][] = [];
  for (const { suite, baseline } of compared) {
    const shown = await showBaseline({ ...project, suite }, core);
    if (shown.success && shown.data.header.setAt === baseline.setAt) cases.push(...shown.data.cases);
  }
  return [{ by: "baseline", name: nameOf(compared.map(({ baseline }) => baseline)), comparison, cases, left: [] }];
}

/** The same for the baselines as they are now. */
export async function currentBaselines(
  result: RunResult,
  project: ProjectPlace & { run?: string },
  environment: CliEnvironment,
): Promise<Result<readonly EarlierResults[], KindlmError>> {
  const { compareWithBaselines } = await import("@kindlm/core/commands/baselines");
  const compared = await compareWithBaselines(project, environment.core);
  if (!compared.success) return compared;
  return success(await baselinesOf({ ...result, comparison: compared.data.comparison }, project, environment));
}

/** Another run, in place of a baseline. */
export async function earlierRun(
  project: ProjectPlace & { run?: string; earlier: string },
  { core }: CliEnvironment,
): Promise<Result<EarlierResults, KindlmError>> {
  const { compareWithEarlier } = await import("@kindlm/core/commands/baselines");
  const compared = await compareWithEarlier(project, core);
  if (!compared.success) return compared;
  const { earlier, comparison, cases, left } = compared.data;
  return success({
    by: "run",
    name: `${earlier.id}, ${momentOf(earlier.startedAt, earlier.commit)}`,
    comparison,
    cases,
    left,
  });
}

/** Such as `2026-11-20 09:30, commit 0123456`; of several the newest. */
function nameOf(baselines: readonly { setAt: string; commit: string | null }[]): string {
  const newest = baselines.toSorted((a, b) => (a.setAt < b.setAt ? 1 : -1)).at(0);
  if (newest === undefined) return "no baseline";
  const isOne = baselines.every(({ setAt }) => setAt.slice(0, 16) === newest.setAt.slice(0, 16));
  return `${momentOf(newest.setAt, newest.commit)}${isOne ? "" : ", and earlier"}`;
}

function momentOf(time: string, commit: string | null): string {
  return `${time.slice(0, 16).replace("T", " ")}${commit === null ? "" : `, commit ${commit.slice(0, 7)}`}`;
}
