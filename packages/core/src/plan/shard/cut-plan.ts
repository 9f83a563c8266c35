import type { PlannedBrokenSuite, PlannedSuite, RunPlan } from "../run-plan.js";
import type { ShardOfCase } from "./assign-shards.js";
import type { Shard } from "../run-options.js";

/** The part of a plan that falls on one shard. Its suites know the positions of their cases in the whole. */
export function cutPlan(whole: RunPlan, shard: Shard, shardOf: ShardOfCase): Omit<RunPlan, "part"> {
  const isHere = ({ id }: { id: string }): boolean => shardOf(id) === shard.index;
  const places = new Map<string, number[]>();
  const sizes = new Map<string, number>();
  let trialCount = 0;
  for (const planned of whole.cases()) {
    const size = sizes.get(planned.suite) ?? 0;
    sizes.set(planned.suite, size + 1);
    if (!isHere(planned)) continue;
    const known = places.get(planned.suite);
    if (known === undefined) places.set(planned.suite, [size]);
    else known.push(size);
    trialCount += planned.skip === null ? planned.runs : 0;
  }
  const suites = whole.suites.flatMap((suite): readonly (PlannedSuite | PlannedBrokenSuite)[] => {
    if (suite.status === "broken") return cutBroken(suite, isHere);
    const here = places.get(suite.name);
    return here === undefined ? [] : [{ ...suite, caseCount: here.length, places: here }];
  });
  return {
    ...whole,
    suites,
    caseCount: [...places.values()].reduce((sum, here) => sum + here.length, 0),
    trialCount,
    *cases() {
      let index = 0;
      for (const planned of whole.cases()) {
        if (!isHere(planned)) continue;
        yield { ...planned, index };
        index += 1;
      }
    },
  };
}

/** A suite of which not even the cases are known must be told somewhere. */
function cutBroken(suite: PlannedBrokenSuite, isHere: (one: { id: string }) => boolean): readonly PlannedBrokenSuite[] {
  if (suite.cases.length === 0) return isHere({ id: suite.name }) ? [{ ...suite, places: [] }] : [];
  const places = suite.cases.flatMap((one, place) => (isHere(one) ? [place] : []));
  if (places.length === 0) return [];
  return [{ ...suite, cases: suite.cases.filter(isHere), places }];
}
