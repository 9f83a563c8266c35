import path from "node:path";
import { attempt } from "../../errors/boundary.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { readError, systemCodeOf } from "../../files/store-error.js";
import { failure, success, type Result } from "../../result.js";
import type { RunTestsOptions, Shard } from "../run-options.js";
import { hashValue } from "../identity/content-hash.js";
import type { RunPlan, PlannedBrokenSuite, PlannedCase } from "../run-plan.js";
import { assignShards, type ShardOfCase } from "./assign-shards.js";
import { mostDurationsBytes, parseDurations, type Durations } from "./durations.js";
import { checkShard } from "./check-shard.js";
import { readText } from "../../files/open-for-reading.js";
import { derivePlan } from "../derive-plan.js";

/** Where the durations of a project are, unless another file is named. */
export function durationsFile(root: string): string {
  return path.join(root, ".kindlm", "durations.json");
}

/**
 * The part of the plan that the options ask for; the plan itself when they ask for none. Fails when the durations cannot
 * be read: the other jobs might read theirs, and split otherwise.
 */
export async function takeShard(
  whole: RunPlan,
  { shard, shardDurations }: Pick<RunTestsOptions, "shard" | "shardDurations">,
  cwd: string,
): Promise<Result<RunPlan>> {
  if (shard === undefined) return success(whole);
  const checked = checkShard(shard);
  if (!checked.success) return failure(kindlmError("CONFIG_VALIDATION_ERROR", checked.error.message));
  const loaded = await loadDurations(whole.root, shardDurations, cwd);
  if (!loaded.success) return loaded;
  const durations = loaded.data;
  const cut = cutPlan(whole, shard, assignShards(shard.of, durations ?? new Map()));
  const durationsHash = durations === null ? null : hashValue(Object.fromEntries(durations));
  return success({ ...cut, part: { shard, whole, durationsHash } });
}

/** Null where there are none. */
async function loadDurations(
  root: string,
  written: string | undefined,
  cwd: string,
): Promise<Result<Durations | null>> {
  const file = written === undefined ? durationsFile(root) : path.resolve(cwd, written);
  const shown = written ?? (path.relative(cwd, file) || file);
  const text = await attempt(
    () => readText(file, mostDurationsBytes),
    (cause) => readError(shown, cause),
  );
  if (!text.success) {
    const isThere = systemCodeOf(text.error.cause) !== "ENOENT";
    return isThere || written !== undefined ? failure(unusable(text.error.message, shown)) : success(null);
  }
  const parsed = parseDurations(text.data);
  return parsed.success ? parsed : failure(unusable(`${shown} cannot be used: ${parsed.error}`, shown));
}

function unusable(message: string, file: string): KindlmError {
  const hint = `Delete ${file}, or let kindlm merge write it again`;
  return kindlmError("CONFIG_FILE_REF_ERROR", message, {
    details: { path: file, diagnostics: [{ code: "CONFIG_FILE_REF_ERROR", severity: "error", message, hint }] },
  });
}

/** The part of a plan that falls on one shard. Its suites know the positions of their cases in the whole. */
function cutPlan(whole: RunPlan, shard: Shard, shardOf: ShardOfCase): Omit<RunPlan, "part"> {
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

/** A suite whose cases are unknown must be reported somewhere. */
function cutBroken(suite: PlannedBrokenSuite, isHere: (one: { id: string }) => boolean): readonly PlannedBrokenSuite[] {
  if (suite.cases.length === 0) return isHere({ id: suite.name }) ? [{ ...suite, places: [] }] : [];
  const places = suite.cases.flatMap((one, place) => (isHere(one) ? [place] : []));
  if (places.length === 0) return [];
  return [{ ...suite, cases: suite.cases.filter(isHere), places }];
}
