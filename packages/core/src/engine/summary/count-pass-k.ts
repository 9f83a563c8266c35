import { passAtK, passHatK } from "../../statistics/pass-k.js";
import type { PassK } from "../../summary/case-summary.js";

/** Every k up to here is reported, and beyond it 20, 50, 100, 200 and so on. */
const everyUpTo = 10;

/** Counts cases by passes and trials, so that pass@k costs nothing per case. */
export function createPassKCounter(): { add(passes: number, trials: number): void; finish(): readonly PassK[] } {
  /** Number of cases by trials and passes. */
  const counts = new Map<number, Map<number, number>>();
  return {
    add(passes, trials) {
      let ofTrials = counts.get(trials);
      if (ofTrials === undefined) counts.set(trials, (ofTrials = new Map<number, number>()));
      ofTrials.set(passes, (ofTrials.get(passes) ?? 0) + 1);
    },
    finish() {
      const most = Math.max(0, ...counts.keys());
      if (most <= 1) return [];
      const kinds = [...counts].flatMap(([trials, ofTrials]) =>
        [...ofTrials].map(([passes, cases]) => ({ trials, passes, cases })),
      );
      return reportedKs(most).map((k) => estimate(kinds, k));
    },
  };
}

/** 1 to 10, then 20, 50, 100, 200 …, and the last. */
function reportedKs(most: number): readonly number[] {
  const ks = Array.from({ length: Math.min(most, everyUpTo) }, (_, index) => index + 1);
  for (let unit = everyUpTo; unit < most; unit *= 10) {
    for (const k of [2 * unit, 5 * unit, 10 * unit]) if (k < most) ks.push(k);
  }
  if (most > everyUpTo) ks.push(most);
  return ks;
}

function estimate(kinds: readonly { trials: number; passes: number; cases: number }[], k: number): PassK {
  const sums = { passAtK: 0, passHatK: 0, cases: 0 };
  for (const { cases, ...counts } of kinds) {
    const [atK, hatK] = [passAtK(counts, k), passHatK(counts, k)];
    if (atK === null || hatK === null) continue;
    sums.passAtK += atK * cases;
    sums.passHatK += hatK * cases;
    sums.cases += cases;
  }
  return { k, passAtK: sums.passAtK / sums.cases, passHatK: sums.passHatK / sums.cases, cases: sums.cases };
}
