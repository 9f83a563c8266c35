import type { ReportCase, ReportComparison, ReportIndex } from "../report-data.js";

export interface ComparedSide {
  passes: number;
  counted: number;
  costUsd: number | null;
  latencyMs: number | null;
}

export interface ComparedRow {
  /** Of the case without the model where models are compared. */
  id: string;
  /** Places of the cases of both sides in this run; null where this run does not have it. */
  beforeCase: number | null;
  afterCase: number | null;
  /** Null where a side has no such case. */
  before: ComparedSide | null;
  after: ComparedSide | null;
  /** Rate after less rate before; null where a side has no rate. */
  difference: number | null;
  /** Why the sides cannot be compared. */
  reason: string | null;
  calls: { before: readonly string[]; after: readonly string[] } | null;
}

export interface Contrast {
  key: string;
  label: string;
  before: string;
  after: string;
  comparison: ReportComparison | null;
}

/** Everything that a run can be compared with. Models come in pairs, at most those of the first six. */
export function contrastsOf({ comparisons, models }: ReportIndex): readonly Contrast[] {
  const others = comparisons.map((comparison) => ({
    key: comparison.by === "baseline" ? "baseline" : comparison.name,
    label: `${comparison.by === "baseline" ? "Baseline" : "Run"} ${comparison.name}`,
    before: comparison.by === "baseline" ? "baseline" : "other run",
    after: "this run",
    comparison,
  }));
  const names = models.slice(0, 6).map(({ name }) => name);
  const pairs = names.flatMap((from, place) =>
    names.slice(place + 1).map((to) => ({
      key: `${from}..${to}`,
      label: `${from} and ${to}`,
      before: from,
      after: to,
      comparison: null,
    })),
  );
  return [...others, ...pairs];
}

/** The rows of a comparison: the worst change first, then the best, then what cannot be compared. */
export function compareCases(index: ReportIndex, contrast: Contrast): readonly ComparedRow[] {
  const rows = contrast.comparison === null ? byModel(index, contrast) : byRun(index, contrast.comparison);
  return rows.toSorted((a, b) => (a.difference ?? 3) - (b.difference ?? 3));
}

export function hasChanged({ difference, before, after, calls, reason }: ComparedRow): boolean {
  if (calls !== null) return true;
  if (difference !== null) return difference !== 0;
  return reason === null && (before === null || after === null);
}

function byRun({ cases }: ReportIndex, { cases: others, by }: ReportComparison): ComparedRow[] {
  const known = new Set(others.map((one) => one.case));
  // Without a trial that counts there is nothing new to see.
  const added = cases.flatMap((one, place) =>
    known.has(place) || one.counted === 0 ? [] : [row(one.id, null, sideOf(one), { afterCase: place })],
  );
  const compared = others.map((other) => {
    const own = other.case === null ? undefined : cases[other.case];
    const after = own === undefined || own.status === "skipped" ? null : sideOf(own);
    const reason = other.reason ?? (own?.status === "skipped" ? "skipped" : null);
    const more = { afterCase: other.case, reason, calls: other.calls ?? null };
    return row(other.id, other, after, more);
  });
  // A baseline of some suites says nothing of the cases of others, and its own list has what is new in those.
  return by === "baseline" && others.length === 0 ? [] : [...compared, ...added];
}

function byModel({ cases, models }: ReportIndex, { before, after }: Contrast): ComparedRow[] {
  const of = (name: string): Map<string, number> => {
    const model = models.findIndex((one) => one.name === name);
    const own = cases.flatMap((one, place) => (one.model === model ? [[withoutModel(one, name), place] as const] : []));
    return new Map(own);
  };
  const [from, to] = [of(before), of(after)];
  return [...new Set([...from.keys(), ...to.keys()])].map((id) => {
    const [beforeCase = null, afterCase = null] = [from.get(id), to.get(id)];
    const side = (place: number | null): ComparedSide | null => {
      const one = place === null ? undefined : cases[place];
      return one === undefined || one.status === "skipped" ? null : sideOf(one);
    };
    const [earlier, now] = [side(beforeCase), side(afterCase)];
    const reason = earlier === null || now === null ? "not run" : null;
    return row(id, earlier, now, { beforeCase, afterCase, reason });
  });
}

/** `suite/test[row]@model#prompt+fault` without its model and prompt. */
function withoutModel({ id }: ReportCase, variant: string): string {
  const at = id.lastIndexOf(`@${variant}`);
  return at === -1 ? id : id.slice(0, at) + id.slice(at + variant.length + 1);
}

function sideOf({ passes, counted, costUsd, latencyMs }: ReportCase): ComparedSide {
  return { passes, counted, costUsd, latencyMs };
}

function row(
  id: string,
  before: ComparedSide | null,
  after: ComparedSide | null,
  more: Partial<ComparedRow>,
): ComparedRow {
  const [earlier, now] = [rateOf(before), rateOf(after)];
  const isComparable = earlier !== null && now !== null && (more.reason ?? null) === null;
  const difference = isComparable ? now - earlier : null;
  return { id, beforeCase: null, afterCase: null, before, after, difference, reason: null, calls: null, ...more };
}

function rateOf(side: ComparedSide | null): number | null {
  return side === null || side.counted === 0 ? null : side.passes / side.counted;
}
