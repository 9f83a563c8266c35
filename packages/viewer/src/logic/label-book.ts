/** What a person thinks of a trial, or of what one of its judges is asked. */
export interface Label {
  case: string;
  trial: number;
  /** Name of the judge assertion; null for a trial with one judge or none. */
  judge: string | null;
  verdict: "pass" | "fail" | null;
  score: number | null;
  note: string;
}

export type LabelPlace = Pick<Label, "case" | "trial" | "judge">;

/** All labels of a run, and the changes that can be undone. It never changes: each change gives another book. */
export interface LabelBook {
  labels: ReadonlyMap<string, Label>;
  undo: readonly { key: string; before: Label | null }[];
}

export const emptyBook: LabelBook = { labels: new Map(), undo: [] };
/** More than anyone takes back one by one. */
const mostUndone = 200;

const keyOf = (place: LabelPlace): string => JSON.stringify([place.case, place.trial, place.judge]);

export function labelAt(book: LabelBook, place: LabelPlace): Label | null {
  return book.labels.get(keyOf(place)) ?? null;
}

/** Changes the label of a trial. One that says nothing any longer is gone. */
export function withLabel(
  book: LabelBook,
  place: LabelPlace,
  change: Partial<Pick<Label, "verdict" | "score" | "note">>,
): LabelBook {
  const key = keyOf(place);
  const before = book.labels.get(key) ?? null;
  const after: Label = { ...place, verdict: null, score: null, note: "", ...before, ...change };
  const isEmpty = after.verdict === null && after.score === null && after.note === "";
  const last = book.undo.at(-1);
  // Letters of a note that are typed one after another are one change.
  const isSameNote = change.note !== undefined && last?.key === key && last.before !== null && before?.note !== "";
  const undo = isSameNote ? book.undo : [...book.undo.slice(1 - mostUndone), { key, before }];
  return { labels: put(book.labels, key, isEmpty ? null : after), undo };
}

/** Takes the last change back. */
export function undone(book: LabelBook): LabelBook {
  const last = book.undo.at(-1);
  if (last === undefined) return book;
  return { labels: put(book.labels, last.key, last.before), undo: book.undo.slice(0, -1) };
}

function put(labels: ReadonlyMap<string, Label>, key: string, label: Label | null): ReadonlyMap<string, Label> {
  const changed = new Map(labels);
  if (label === null) changed.delete(key);
  else changed.set(key, label);
  return changed;
}

/** The text that is kept. What can be undone is not part of it. */
export function storeLabels({ labels }: LabelBook): string {
  return JSON.stringify([...labels.values()]);
}

/** Reads kept labels. What is not a label is left out: anything may be in the storage of a browser. */
export function readLabels(stored: unknown): LabelBook {
  const found = Array.isArray(stored) ? stored.filter(isLabel) : [];
  return { labels: new Map(found.map((label) => [keyOf(label), label])), undo: [] };
}

function isLabel(value: unknown): value is Label {
  if (typeof value !== "object" || value === null) return false;
  const { case: id, trial, judge, verdict, score, note }: Partial<Record<keyof Label, unknown>> = value;
  return (
    typeof id === "string" &&
    typeof trial === "number" &&
    (judge === null || typeof judge === "string") &&
    (verdict === null || verdict === "pass" || verdict === "fail") &&
    (score === null || (typeof score === "number" && score >= 0 && score <= 1)) &&
    typeof note === "string"
  );
}

/** A score as a person types it, with a point or a comma; null if it is none from 0 to 1. */
export function parseScore(text: string): number | null {
  const trimmed = text.trim().replace(",", ".");
  const score = Number(trimmed);
  return /^\d*\.?\d+$/.test(trimmed) && score <= 1 ? score : null;
}

/** The cases with a label. */
export function labeledCases({ labels }: LabelBook): ReadonlySet<string> {
  return new Set([...labels.values()].map((label) => label.case));
}
