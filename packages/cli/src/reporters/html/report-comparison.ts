import type { RunComparison, RunResult, TestResult, TrialResult } from "@kindlm/core";
import { describeCalls, maskFor, redactCopy, standsForCase, visible, visibleLine } from "@kindlm/core/program";
import type { ComparedReportCase, ReportComparison } from "@kindlm/viewer/report-data";
import type { EarlierResults } from "../report-options.js";

type Calls = readonly string[];

/** What a run is compared with, and how its cases differ from it. */
export class ReportComparisons {
  readonly #earlier: readonly EarlierResults[];
  readonly #redact: (text: string) => string;
  readonly #placeOf: ReadonlyMap<string, number>;
  readonly #compared: ReadonlySet<string>;
  /** The calls of this run, where they are needed. */
  readonly #calls = new Map<string, Calls>();

  constructor({ suites }: RunResult, earlier: readonly EarlierResults[], redact: (text: string) => string) {
    this.#earlier = earlier;
    this.#redact = redact;
    const ids = suites.flatMap(({ tests }) => tests.map(({ id }) => redact(id)));
    this.#placeOf = new Map(ids.map((id, place) => [id, place]));
    this.#compared = new Set(earlier.flatMap(({ cases }) => cases.map(({ caseId }) => caseId)));
  }

  /** Takes note of what a trial called, if it stands for its case. */
  see(test: TestResult, trial: TrialResult): void {
    const id = this.#redact(test.id);
    if (test.status === "skipped" || this.#calls.has(id) || !this.#compared.has(id)) return;
    if (standsForCase(test, trial)) this.#calls.set(id, describeCalls(trial, maskFor(trial.assertions, this.#redact)));
  }

  describe(): readonly ReportComparison[] {
    return this.#earlier.map((one) => this.#comparison(one));
  }

  #comparison({ by, name, comparison, cases, left }: EarlierResults): ReportComparison {
    const compared = comparison.suites.flatMap((suite) => (suite.status === "compared" ? [suite] : []));
    const changed = new Map(
      compared.flatMap(({ worse, better }) => [...worse, ...better].map((one) => [one.caseId, one])),
    );
    const reasons = new Map(
      compared.flatMap(({ changedChecks, uncompared }) => [
        ...changedChecks.map((id) => [id, "what is asked or judged is not the same"] as const),
        ...uncompared.map(({ caseId, reason }) => [caseId, reason] as const),
      ]),
    );
    const removed = new Set(compared.flatMap((suite) => suite.removed));
    const shown = cases.filter(({ caseId }) => this.#placeOf.has(caseId) || removed.has(caseId));
    return {
      by,
      name: this.#line(name),
      verdict: comparison.verdict,
      suites: redactCopy(compared, (text) => this.#line(text)),
      cases: [
        ...shown.map(({ caseId, passes, trials, costUsd, latencyMs, calls }): ComparedReportCase => {
          const reason = reasons.get(caseId);
          const differing = this.#callsOf(caseId, calls, changed.get(caseId)?.calls);
          return {
            id: visibleLine(caseId),
            case: this.#placeOf.get(caseId) ?? null,
            passes,
            counted: trials,
            costUsd,
            latencyMs: Math.round(latencyMs),
            ...(reason === undefined ? {} : { reason: this.#line(reason) }),
            ...(differing === null ? {} : { calls: differing }),
          };
        }),
        ...left
          .filter(({ caseId }) => this.#placeOf.has(caseId))
          .map(({ caseId, reason }) => this.#withoutResult(caseId, reason)),
      ],
    };
  }

  #withoutResult(caseId: string, reason: string): ComparedReportCase {
    const place = this.#placeOf.get(caseId) ?? null;
    const nothing = { passes: 0, counted: 0, costUsd: null, latencyMs: null };
    return { id: visibleLine(caseId), case: place, ...nothing, reason: this.#line(reason) };
  }

  #callsOf(
    caseId: string,
    saved: Calls,
    flagged: { before: Calls; after: Calls } | null | undefined,
  ): { before: Calls; after: Calls } | null {
    const after = this.#calls.get(caseId);
    const found = flagged ?? (after === undefined || isSame(saved, after) ? null : { before: saved, after });
    return found === null ? null : { before: found.before.map(visible), after: found.after.map(visible) };
  }

  #line(text: string): string {
    return visibleLine(this.#redact(text));
  }
}

function isSame(one: Calls, other: Calls): boolean {
  return one.length === other.length && one.every((call, at) => call === other[at]);
}

/** Which cases are flagged, by their IDs as comparisons have them. */
export function changesIn(comparison: RunComparison | undefined): ReadonlyMap<string, "regressed" | "improved"> {
  const compared = (comparison?.suites ?? []).flatMap((suite) => (suite.status === "compared" ? [suite] : []));
  return new Map(
    compared.flatMap(({ worse, better }) => [
      ...worse.map(({ caseId }) => [caseId, "regressed"] as const),
      ...better.map(({ caseId }) => [caseId, "improved"] as const),
    ]),
  );
}
