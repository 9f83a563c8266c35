import { keyOf, type Entry, type RequestLine } from "./cassette-lines.js";

/** A place on the tape, taken when something was asked and filled when it was answered. */
export interface TapeSlot {
  /** Null takes it off the tape again. */
  fill(entry: Entry | null): void;
}

/** What one trial asked and was answered, in the order of the asking, however long each answer took. */
export interface TrialTape {
  readonly caseId: string;
  readonly trial: number;
  /** Requests by their keys. */
  readonly requests: ReadonlyMap<string, RequestLine>;
  /** True once something came from outside. */
  readonly hasNew: boolean;
  /** Adds strings that are new in each run, by their names, and returns all of the trial. */
  learn(volatile: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** The next recording of this key that was not given out yet; null when there is none. */
  take(key: string): Entry | null;
  /** Begins an exchange or a call. */
  begin(request: RequestLine | null): TapeSlot;
  /** What was filled in, in order. */
  entries(): readonly Entry[];
  /** The recordings that nobody asked for. */
  leftOver(): readonly Entry[];
}

/** @param isFit - whether a recording may be used; others are skipped */
export function createTrialTape(
  caseId: string,
  trial: number,
  recorded: readonly Entry[],
  isFit: (entry: Entry) => boolean,
): TrialTape {
  const requests = new Map<string, RequestLine>();
  const slots: (Entry | null)[] = [];
  const left = recorded.filter(isFit);
  const replayed = new Set<Entry>();
  let known: Readonly<Record<string, string>> = {};
  return {
    caseId,
    trial,
    requests,
    get hasNew() {
      return slots.some((entry) => entry !== null && !replayed.has(entry));
    },
    learn(volatile) {
      if (Object.keys(volatile).length > 0) known = { ...known, ...volatile };
      return known;
    },
    take(key) {
      let found: Entry | null = null;
      for (const entry of left) if (keyOf(entry) === key && (found === null || entry.n < found.n)) found = entry;
      if (found === null) return null;
      left.splice(left.indexOf(found), 1);
      replayed.add(found);
      return found;
    },
    begin(request) {
      if (request !== null) requests.set(request.request, request);
      const index = slots.push(null) - 1;
      return {
        fill: (entry) => {
          slots[index] = entry;
        },
      };
    },
    entries: () => slots.filter((entry) => entry !== null),
    leftOver: () => left,
  };
}
