import { derivePlan } from "../derive-plan.js";
import type { PlannedBrokenSuite, PlannedCase, RunPlan } from "../run-plan.js";
import type { ShardOfCase } from "./assign-shards.js";
import type { Shard } from "../run-options.js";

/** The part of a plan that falls on one shard. Its suites know the positions of their cases in the whole. */
export function cutPlan(whole: RunPlan, shard: Shard, shardOf: ShardOfCase): Omit<RunPlan, "part"> {
  const isHere = ({ id }: { id: string }): boolean => shardOf(id) === shard.index;
  function* casesHere(): Generator<PlannedCase> {
    for (const planned of whole.cases()) if (isHere(planned)) yield planned;
  }
  const cut = derivePlan(whole, casesHere, (suite) => cutBroken(suite, isHere));
  const places = placesOf(whole, isHere);
  const suites = cut.suites.map((suite) =>
    suite.status === "broken" ? suite : { ...suite, places: places.get(suite.name) ?? [] },
  );
  return { ...cut, suites };
}

/** Which cases of each suite are here, counted from 0 in the whole suite. */
function placesOf(whole: RunPlan, isHere: (planned: PlannedCase) => boolean): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  const sizes = new Map<string, number>();
  for (const planned of whole.cases()) {
    const size = sizes.get(planned.suite) ?? 0;
    sizes.set(planned.suite, size + 1);
    if (!isHere(planned)) continue;
    const here = places.get(planned.suite) ?? [];
    here.push(size);
    places.set(planned.suite, here);
  }
  return places;
}

/** A suite of which not even the cases are known must be told somewhere. */
function cutBroken(suite: PlannedBrokenSuite, isHere: (one: { id: string }) => boolean): readonly PlannedBrokenSuite[] {
  if (suite.cases.length === 0) return isHere({ id: suite.name }) ? [{ ...suite, places: [] }] : [];
  const places = suite.cases.flatMap((one, place) => (isHere(one) ? [place] : []));
  if (places.length === 0) return [];
  return [{ ...suite, cases: suite.cases.filter(isHere), places }];
}
