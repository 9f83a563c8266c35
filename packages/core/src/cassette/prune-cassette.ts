import type { CassetteContent } from "./cassette-lines.js";
import type { PrunedCassette } from "./cassette-report.js";

/** The recordings that no case of the config asks for. `runs`: trials of each case by its id. Changes nothing. */
export function findUnused(
  file: string,
  { cases }: CassetteContent,
  runs: ReadonlyMap<string, number>,
): PrunedCassette | null {
  const gone: string[] = [];
  const trials: { case: string; trial: number }[] = [];
  let entries = 0;
  for (const [id, ofCase] of cases) {
    const known = runs.get(id);
    if (known === undefined) gone.push(id);
    for (const [trial, recorded] of ofCase) {
      if (known !== undefined && trial <= known) continue;
      if (known !== undefined) trials.push({ case: id, trial });
      entries += recorded.length;
    }
  }
  if (gone.length === 0 && trials.length === 0) return null;
  return { file, isRemoved: gone.length === cases.size, cases: gone, trials, entries };
}

/** The file without them. */
export function withoutUnused(content: CassetteContent, { cases, trials }: PrunedCassette): CassetteContent {
  for (const id of cases) content.cases.delete(id);
  for (const { case: id, trial } of trials) content.cases.get(id)?.delete(trial);
  return content;
}
