import path from "node:path";
import { attempt } from "../../errors/boundary.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { readError, systemCodeOf } from "../../files/store-error.js";
import { failure, success, type Result } from "../../result.js";
import type { RunTestsOptions, Shard } from "../run-options.js";
import { hashValue } from "../identity/content-hash.js";
import type { RunPlan, PlannedBrokenSuite, PlannedCase, PlanPart } from "../run-plan.js";
import { mostDurationsBytes, parseDurations, type Durations } from "./durations.js";
import { checkShard } from "./check-shard.js";
import { readText } from "../../files/open-for-reading.js";
import { derivePlan } from "../derive-plan.js";
import { hash, createHash } from "node:crypto";
import type { ShardInfo } from "./shard-info.js";
import { checkHashOf, type IdentifyCase } from "../identity/case-identity.js";
import { gateRulesOf } from "../gate-rules.js";

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

/** Returns the shard of a case, from 1. */
type ShardOfCase = (caseId: string) => number;

/**
 * Splits cases into shards, the same way on every machine. A case is where it is whatever other cases there are, so that
 * a new test moves nothing.
 *
 * Cases whose duration is known are dealt out longest first, each to the shard that has the least to do (LPT, R. L.
 * Graham 1969: no shard takes longer than 4/3 − 1/(3n) of the best possible). All cases of the durations are dealt out,
 * whether they run or not. Any other case goes by a hash of its id.
 */
export function assignShards(of: number, durations: Durations): ShardOfCase {
  const known = dealOut(of, durations);
  return (caseId) => known.get(caseId) ?? (Number.parseInt(hash("sha256", caseId).slice(0, 12), 16) % of) + 1;
}

function dealOut(of: number, durations: Durations): ReadonlyMap<string, number> {
  const loads = Array.from({ length: of }, () => 0);
  const assigned = new Map<string, number>();
  const longestFirst = [...durations].toSorted(([a, aMs], [b, bMs]) => bMs - aMs || (a < b ? -1 : 1));
  for (const [caseId, durationMs] of longestFirst) {
    let least = 0;
    for (let shard = 1; shard < of; shard += 1) if ((loads[shard] ?? 0) < (loads[least] ?? 0)) least = shard;
    loads[least] = (loads[least] ?? 0) + durationMs;
    assigned.set(caseId, least + 1);
  }
  return assigned;
}

/** What a shard says of the whole run, so that only parts of the same one are ever merged. */
export function describeShard({ shard, whole, durationsHash }: PlanPart, identify: IdentifyCase): ShardInfo {
  const [cases, contents] = [createHash("sha256"), createHash("sha256")];
  for (const planned of whole.cases()) {
    const identity = identify(planned);
    const { runs, required, skip, test } = planned;
    cases.update(`${planned.id}\n`);
    contents.update(
      JSON.stringify([
        identity.agentHash,
        checkHashOf(identity),
        runs,
        required,
        skip,
        test.critical,
        test.allowFailure,
      ]),
    );
  }
  const suites = whole.suites.map((suite) => {
    if (suite.status === "ready") return { name: suite.name, cases: suite.caseCount };
    for (const { id } of suite.cases) cases.update(`${id}\n`);
    return { name: suite.name, cases: suite.cases.length };
  });
  const { exitOn, project } = whole;
  const { gates, suiteGates = {} } = gateRulesOf(whole);
  const { alpha, margin } = whole.comparison;
  const digest = (made: typeof cases): string => made.digest("hex").slice(0, 16);
  return {
    ...shard,
    suites,
    planHash: {
      cases: digest(cases.update(JSON.stringify(suites))),
      contents: digest(contents),
      rules: hashValue({ gates, suiteGates, exitOn, alpha, margin, project }),
      durations: durationsHash,
    },
  };
}
