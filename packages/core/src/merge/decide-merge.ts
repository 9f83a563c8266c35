import type { RunInfo } from "../engine/run-result.js";
import type { ShardInfo } from "../plan/shard/shard-info.js";
import { failure, success, type Result } from "../result.js";
import type { Shard } from "../plan/run-options.js";

/** What is known of a run folder before it is decided whether it can be merged with others. */
export interface MergeCandidate {
  /** How people know the folder. */
  shown: string;
  /** Id of the run. */
  id: string;
  /** KindLM's version. */
  kindlm: string;
  /** Null unless the run is a shard. */
  shard: Shard | null;
  /** Null where the run never came to its end. */
  run: { head: { run: RunInfo } } | null;
}

/** A shard that came to its end. */
export interface FinishedShard<T extends MergeCandidate> {
  source: T;
  run: NonNullable<T["run"]>;
  info: RunInfo;
  shard: ShardInfo;
}

/** Why runs cannot be merged, and what to do about it. */
export interface MergeRefusal {
  message: string;
  hint: string;
}

type Shards<T extends MergeCandidate> = readonly [FinishedShard<T>, ...FinishedShard<T>[]];

/**
 * Whether the runs are all shards of one and the same run, each once; then they are given back in their order. `version`
 * is that of the KindLM that merges.
 */
export function decideMerge<T extends MergeCandidate>(
  candidates: readonly T[],
  version: string,
): Result<Shards<T>, MergeRefusal> {
  const finished: FinishedShard<T>[] = [];
  for (const candidate of candidates) {
    const one = finish(candidate, version);
    if (!one.success) return one;
    finished.push(one.data);
  }
  const [first, ...others] = finished.toSorted((a, b) => a.shard.index - b.shard.index);
  if (first === undefined) return refuse("No shard to merge", "Name the run folders of all shards");
  for (const other of others) {
    const difference = differenceOf(first, other);
    if (difference !== null) return failure(difference);
  }
  let before = first;
  for (const other of others) {
    if (before.shard.index === other.shard.index) {
      const where = `${before.source.shown} and ${other.source.shown}`;
      return refuse(`${nameOf(other.shard)} was given twice: ${where}`, "Remove one of the two");
    }
    before = other;
  }
  const { of } = first.shard;
  const present = new Set([first, ...others].map(({ shard }) => shard.index));
  const missing = Array.from({ length: of }, (_, index) => index + 1).filter((index) => !present.has(index));
  return missing.length === 0 ? success([first, ...others]) : failure(missingShards(missing, of));
}

function finish<T extends MergeCandidate>(candidate: T, version: string): Result<FinishedShard<T>, MergeRefusal> {
  const { shown, id, shard: part, kindlm } = candidate;
  const run: T["run"] = candidate.run;
  if (part === null) return refuse(`${shown} is a whole run, not a shard`, "Remove it");
  const name = nameOf(part);
  const goOn = `Resume it where it ran: kindlm test --run ${id}`;
  if (run === null) return refuse(`${name} did not finish: ${shown}`, goOn);
  const { run: info } = run.head;
  if (info.interrupted) return refuse(`${name} was stopped before it finished: ${shown}`, goOn);
  if (kindlm !== version) {
    const message = `${name} was written by KindLM ${kindlm}, but this is KindLM ${version}: ${shown}`;
    return refuse(message, "Use the same version everywhere");
  }
  if (info.shard === undefined) return refuse(`${shown} does not record which run it belongs to`, "Run it again");
  return success({ source: candidate, run, info, shard: info.shard });
}

/** What keeps two shards from being parts of one run; null when nothing does. */
function differenceOf(one: FinishedShard<MergeCandidate>, other: FinishedShard<MergeCandidate>): MergeRefusal | null {
  const [mine, its] = [one.shard, other.shard];
  const names = `${nameOf(mine)} (${one.source.shown}) and ${nameOf(its).toLowerCase()} (${other.source.shown})`;
  const because = (message: string, hint: string): MergeRefusal => ({ message: `${names} ${message}`, hint });
  if (mine.of !== its.of) return because("are not shards of the same split", "Give all jobs the same n of --shard i/n");
  if (one.info.seed !== other.info.seed) {
    return because(`have different seeds: ${one.info.seed} and ${other.info.seed}`, "Give all jobs the same --seed");
  }
  if (one.info.replayed !== other.info.replayed) {
    return because("are not both replayed from recordings", "Give all jobs the same --cassette");
  }
  const { planHash: ours } = mine;
  const { planHash: theirs } = its;
  if (ours.cases !== theirs.cases) {
    return because("are of runs with different cases", "Give all jobs the same config files and filters");
  }
  if (ours.contents !== theirs.contents) {
    const hint = "Give all jobs the same files, options and versions of what they test";
    return because("have the same cases, but not the same tests in them", hint);
  }
  if (ours.rules !== theirs.rules) return because("are judged by different gates", "Give all jobs the same gates");
  if (ours.durations !== theirs.durations) {
    return because("were split by different durations", "Give all jobs the same .kindlm/durations.json, or none");
  }
  return null;
}

function nameOf({ index, of }: Shard): string {
  return `Shard ${index} of ${of}`;
}

function missingShards(missing: readonly number[], of: number): MergeRefusal {
  const last = missing.at(-1) ?? 0;
  const named =
    missing.length === 1
      ? `Shard ${last} of ${of} is`
      : `Shards ${missing.slice(0, -1).join(", ")} and ${last} of ${of} are`;
  const hint =
    missing.length === 1
      ? `Name its run folder too, or run kindlm test --shard ${last}/${of}`
      : `Name their run folders too, or run them, such as kindlm test --shard ${last}/${of}`;
  return { message: `${named} missing`, hint };
}

function refuse(message: string, hint: string): Result<never, MergeRefusal> {
  return failure({ message, hint });
}
