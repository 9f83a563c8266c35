import type { ReportCase, ReportIndex } from "../report-data.js";
import type { ViewState } from "./view-state.js";

/** Facts of cases that are not in the index. */
export interface CaseMarks {
  /** The cases whose transcripts contain what is searched for; null without a search. */
  found: ReadonlySet<number> | null;
  labeled: ReadonlySet<string>;
}

/** What a filter by words looks at, in lower case; built once, because a filter runs at each letter that is typed. */
export function createHaystack({ cases, kinds, causes, tags, models }: ReportIndex): readonly string[] {
  return cases.map((one) => {
    const kind = one.kind === undefined ? "" : (kinds[one.kind - 1]?.title ?? "");
    const cause = one.cause === undefined ? "" : (causes[one.cause - 1]?.title ?? "");
    const tagged = one.tags.map((tag) => tags[tag]).join("\n");
    return `${one.id}\n${models[one.model]?.name ?? ""}\n${tagged}\n${kind}\n${cause}\n${one.reason ?? ""}`.toLowerCase();
  });
}

/** The places of the cases that a state shows, in the order of the run. */
export function selectCases(
  index: ReportIndex,
  state: ViewState,
  haystack: readonly string[],
  marks: CaseMarks,
): readonly number[] {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const suite = placeIn(
    index.suites.map(({ name }) => name),
    state.suite,
  );
  const model = placeIn(
    index.models.map(({ name }) => name),
    state.model,
  );
  const tag = placeIn(index.tags, state.tag);
  const chosen: number[] = [];
  index.cases.forEach((one, place) => {
    const isShown =
      isOfStatus(one, state, marks.labeled) &&
      (suite === null || one.suite === suite) &&
      (model === null || one.model === model) &&
      (tag === null || one.tags.includes(tag)) &&
      (state.kind === null || one.kind === state.kind) &&
      (state.cause === null || one.cause === state.cause) &&
      (marks.found === null || marks.found.has(place)) &&
      words.every((word) => haystack[place]?.includes(word));
    if (isShown) chosen.push(place);
  });
  return chosen;
}

/** −1 for a name that no case has, so that such a filter shows nothing instead of everything. */
function placeIn(names: readonly string[], name: string | null): number | null {
  return name === null ? null : names.indexOf(name);
}

function isOfStatus(one: ReportCase, { statuses, marks }: ViewState, labeled: ReadonlySet<string>): boolean {
  if (statuses.length === 0 && marks.length === 0) return true;
  return (
    statuses.includes(one.status) ||
    (marks.includes("flaky") && one.isFlaky === true) ||
    (one.change !== undefined && marks.includes(one.change)) ||
    (marks.includes("labeled") && labeled.has(one.id))
  );
}

/** The next or previous case that did not pass; null where there is none in that direction. */
export function nextFailure(index: ReportIndex, shown: readonly number[], open: number, by: 1 | -1): number | null {
  const isMeant = (place: number): boolean => {
    const status = index.cases[place]?.status;
    return (status === "failed" || status === "errored") && (by > 0 ? place > open : place < open);
  };
  return (by > 0 ? shown.find(isMeant) : shown.findLast(isMeant)) ?? null;
}
