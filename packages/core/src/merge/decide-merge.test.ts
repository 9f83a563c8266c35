import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ShardInfo } from "../plan/shard/shard-info.js";
import { decideMerge, type MergeCandidate } from "./decide-merge.js";

const planHash = { cases: "c", contents: "i", rules: "r", durations: null };

interface Changes {
  shown?: string;
  of?: number;
  seed?: number;
  interrupted?: boolean;
  replayed?: true;
  kindlm?: string;
  planHash?: Partial<ShardInfo["planHash"]>;
  /** It never came to its end. */
  isUnfinished?: boolean;
  isWhole?: boolean;
}

function part(index: number, changes: Changes = {}): MergeCandidate {
  const { shown = `parts/${index}`, of = 4, seed = 1, interrupted = false, kindlm = "1.0.0" } = changes;
  const shard: ShardInfo = { index, of, suites: [], planHash: { ...planHash, ...changes.planHash } };
  const info = {
    id: `run-${index}`,
    startedAt: "",
    endedAt: "",
    durationMs: 1,
    seed,
    interrupted,
    project: null,
    git: null,
    ...(changes.isWhole === true ? {} : { shard }),
    ...(changes.replayed === undefined ? {} : { replayed: changes.replayed }),
  };
  return {
    shown,
    id: info.id,
    kindlm,
    shard: changes.isWhole === true ? null : { index, of },
    run: changes.isUnfinished === true ? null : { head: { run: info } },
  };
}

const others = [part(1), part(2), part(4)];
const goOn = "Resume it where it ran: kindlm test --run run-3";

describe("decideMerge", () => {
  it("puts the shards in their order, whichever way they come", () => {
    const sorted = fc
      .integer({ min: 1, max: 12 })
      .map((of) => Array.from({ length: of }, (_, index) => part(index + 1, { of })));
    const shuffled = sorted.chain((parts) => fc.shuffledSubarray(parts, { minLength: parts.length }));
    fc.assert(
      fc.property(shuffled, (parts) => {
        const decided = decideMerge(parts, "1.0.0");
        const order = decided.success ? decided.data.map(({ shard }) => shard.index) : [];
        expect(order).toEqual(Array.from({ length: parts.length }, (_, index) => index + 1));
      }),
    );
  });

  it.each<[string, readonly MergeCandidate[], string, string]>([
    ["nothing", [], "No shard to merge", "Name the run folders of all shards"],
    ["a gap", others, "Shard 3 of 4 is missing", "Name its run folder too, or run kindlm test --shard 3/4"],
    [
      "several gaps",
      [part(2)],
      "Shards 1, 3 and 4 of 4 are missing",
      "Name their run folders too, or run them, such as kindlm test --shard 4/4",
    ],
    [
      "the same shard twice",
      [...others, part(3), part(2, { shown: "again/2" })],
      "Shard 2 of 4 was given twice: parts/2 and again/2",
      "Remove one of the two",
    ],
    ["a whole run", [...others, part(3, { isWhole: true })], "parts/3 is a whole run, not a shard", "Remove it"],
    ["an unfinished run", [...others, part(3, { isUnfinished: true })], "Shard 3 of 4 did not finish: parts/3", goOn],
    [
      "an interrupted run",
      [...others, part(3, { interrupted: true })],
      "Shard 3 of 4 was stopped before it finished: parts/3",
      goOn,
    ],
    [
      "another version",
      [...others, part(3, { kindlm: "0.9.0" })],
      "Shard 3 of 4 was written by KindLM 0.9.0, but this is KindLM 1.0.0: parts/3",
      "Use the same version everywhere",
    ],
    [
      "another split",
      [...others, part(3, { of: 3 })],
      "Shard 1 of 4 (parts/1) and shard 3 of 3 (parts/3) are not shards of the same split",
      "Give all jobs the same n of --shard i/n",
    ],
    [
      "another seed",
      [...others, part(3, { seed: 2 })],
      "Shard 1 of 4 (parts/1) and shard 3 of 4 (parts/3) have different seeds: 1 and 2",
      "Give all jobs the same --seed",
    ],
    [
      "a replay beside what was asked anew",
      [...others, part(3, { replayed: true })],
      "Shard 1 of 4 (parts/1) and shard 3 of 4 (parts/3) are not both replayed from recordings",
      "Give all jobs the same --cassette",
    ],
    [
      "other cases",
      [...others, part(3, { planHash: { cases: "x", contents: "x", rules: "x", durations: "x" } })],
      "Shard 1 of 4 (parts/1) and shard 3 of 4 (parts/3) are of runs with different cases",
      "Give all jobs the same config files and filters",
    ],
    [
      "other tests",
      [...others, part(3, { planHash: { contents: "x", rules: "x" } })],
      "Shard 1 of 4 (parts/1) and shard 3 of 4 (parts/3) have the same cases, but not the same tests in them",
      "Give all jobs the same files, options and versions of what they test",
    ],
    [
      "other gates",
      [...others, part(3, { planHash: { rules: "x" } })],
      "Shard 1 of 4 (parts/1) and shard 3 of 4 (parts/3) are judged by different gates",
      "Give all jobs the same gates",
    ],
    [
      "other durations",
      [...others, part(3, { planHash: { durations: "x" } })],
      "Shard 1 of 4 (parts/1) and shard 3 of 4 (parts/3) were split by different durations",
      "Give all jobs the same .kindlm/durations.json, or none",
    ],
  ])("refuses %s", (_name, candidates, message, hint) => {
    expect(decideMerge(candidates, "1.0.0")).toEqual({ success: false, error: { message, hint } });
  });
});
