import type { ReportTrial } from "../report-detail.js";

/** Trials that ended alike after the same calls in the same order. */
export interface TrialGroup {
  status: ReportTrial["status"];
  /** Numbers, in their order. */
  trials: readonly number[];
}

/** Groups trials in the order of their first. */
export function groupTrials(trials: readonly ReportTrial[]): readonly TrialGroup[] {
  const groups = new Map<string, { status: ReportTrial["status"]; trials: number[] }>();
  for (const one of trials) {
    const key = JSON.stringify([one.status, one.isConfirmation ?? false, one.error?.code, callsOf(one)]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { status: one.status, trials: [one.trial] });
    else known.trials.push(one.trial);
  }
  return [...groups.values()];
}

/** The tools that were called, in their order; the number of the trial where its transcript was left out. */
function callsOf({ rows, trial }: ReportTrial): readonly (string | number)[] {
  return rows === null ? [trial] : rows.flatMap(({ tool }) => tool ?? []);
}

/** The calls of a trial with their arguments, one line each. */
export function describeCalls({ rows }: ReportTrial): readonly string[] {
  return (rows ?? []).flatMap(({ tool, fields = [], text }) => {
    if (tool === undefined) return [];
    const args = fields.map(({ name, value }) => `${name} ${value}`).join(", ");
    return [[tool, args, text ?? ""].filter((part) => part !== "").join("  ")];
  });
}

/** The trial that a case opens with: the one that was asked for, the one that shows best why, or the first. */
export function openedTrial(trials: readonly ReportTrial[], wanted: number | null, shown: number): ReportTrial | null {
  const byNumber = (number: number | null): ReportTrial | undefined => trials.find(({ trial }) => trial === number);
  return byNumber(wanted) ?? byNumber(shown) ?? trials[0] ?? null;
}

/** Whether any text of the trials contains the needle, which is in lower case. Names of fields of the data are none. */
export function mentions(trials: readonly ReportTrial[], needle: string): boolean {
  return trials.some(({ rows, files, assertions, error }) => holds([rows, files, assertions, error], needle));
}

function holds(value: unknown, needle: string): boolean {
  if (typeof value === "string") return value.toLowerCase().includes(needle);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((item) => holds(item, needle));
}
