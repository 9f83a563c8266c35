import type { LinePlace } from "./group-appender.js";

/** The places of the finished trials of a run in its journal. Of several for the same trial, the last one counts. */
export interface TrialPlaces<Key = string> {
  put(caseId: Key, trial: number, place: LinePlace): void;
  /** In the order of the trials. */
  of(caseId: Key): readonly LinePlace[];
  /** Where one of them was put last; null if it never was. */
  find(caseId: Key, trial: number): LinePlace | null;
}

/**
 * Holds a few dozen bytes per trial, since a run may have very many. `heads` is what knows the last entry of each case;
 * every entry names the one before it.
 */
export function createTrialPlaces<Key = string>(
  heads: { get(key: Key): number | undefined; set(key: Key, entry: number): void } = new Map<Key, number>(),
): TrialPlaces<Key> {
  const trials: number[] = [];
  const offsets: number[] = [];
  const lengths: number[] = [];
  const earlier: number[] = [];
  const placeOf = (entry: number): LinePlace => ({ offset: offsets[entry] ?? 0, length: lengths[entry] ?? 0 });
  return {
    find(caseId, trial) {
      for (let entry = heads.get(caseId) ?? -1; entry !== -1; entry = earlier[entry] ?? -1) {
        if (trials[entry] === trial) return placeOf(entry);
      }
      return null;
    },
    put(caseId, trial, { offset, length }) {
      earlier.push(heads.get(caseId) ?? -1);
      heads.set(caseId, trials.length);
      trials.push(trial);
      offsets.push(offset);
      lengths.push(length);
    },
    of(caseId) {
      const found: { trial: number; place: LinePlace }[] = [];
      let isInOrder = true;
      for (let entry = heads.get(caseId) ?? -1; entry !== -1; entry = earlier[entry] ?? -1) {
        const trial = trials[entry] ?? 0;
        isInOrder &&= found.length === 0 || trial < (found.at(-1)?.trial ?? 0);
        found.push({ trial, place: placeOf(entry) });
      }
      const latest = isInOrder ? found.toReversed() : latestByTrial(found);
      return latest.map(({ place }) => place);
    },
  };
}

/** The first of each trial, in the order of the trials. */
function latestByTrial(found: readonly { trial: number; place: LinePlace }[]): readonly { place: LinePlace }[] {
  const latest = new Map<number, { trial: number; place: LinePlace }>();
  for (const one of found) if (!latest.has(one.trial)) latest.set(one.trial, one);
  return [...latest.values()].toSorted((a, b) => a.trial - b.trial);
}
