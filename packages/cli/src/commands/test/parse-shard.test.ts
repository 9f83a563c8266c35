import { describe, expect, it } from "vitest";
import { parseShard } from "./parse-shard.js";

type SlurmNumbers = Partial<Record<"id" | "count" | "min" | "max" | "step", number>>;
const slurm = (numbers: SlurmNumbers): Record<string, string> =>
  Object.fromEntries(
    Object.entries(numbers).map(([name, number]) => [`SLURM_ARRAY_TASK_${name.toUpperCase()}`, String(number)]),
  );

describe("parseShard", () => {
  it.each([
    ["1/4", 1, 4],
    ["4/4", 4, 4],
    [" 2 / 3 ", 2, 3],
    ["1/1", 1, 1],
    ["10000/10000", 10_000, 10_000],
  ])("reads %j", (text, index, of) => {
    expect(parseShard(text, {})).toEqual({ success: true, data: { index, of } });
  });

  it.each([
    ["0/4", "Shards start at 1, not 0", "Write --shard 1/4"],
    ["5/4", "Shard 5 of 4 does not exist", "The last is --shard 4/4"],
    ["1/0", "The number of shards must be at least 1", "Use --shard 1/1"],
    ["1/10001", "10001 shards exceed the limit of 10000", "Use fewer"],
    ["1-4", '"1-4" is not a shard', "Use i/n, such as 1/4"],
    ["1.5/2", '"1.5/2" is not a shard', "Use i/n"],
    ["-1/4", '"-1/4" is not a shard', "Use i/n"],
    ["1/2/3", '"1/2/3" is not a shard', "Use i/n"],
    ["1/", '"1/" is not a shard', "Use i/n"],
    ["", '"" is not a shard', "Use i/n"],
    ["1e1/20", '"1e1/20" is not a shard', "Use i/n"],
    ["AUTO", '"AUTO" is not a shard', "auto to ask the CI system"],
  ])("says what is wrong with %j", (text, message, hint) => {
    expect(parseShard(text, { CI_NODE_INDEX: "1", CI_NODE_TOTAL: "2" })).toEqual({
      success: false,
      error: { message, hint: expect.stringContaining(hint) },
    });
  });

  it.each([
    ["GitLab counts from 1", { CI_NODE_INDEX: "2", CI_NODE_TOTAL: "4" }, 2, 4],
    ["GitLab sets the total in every job", { CI_NODE_TOTAL: "1" }, 1, 1],
    ["CircleCI counts from 0", { CIRCLE_NODE_INDEX: "0", CIRCLE_NODE_TOTAL: "4" }, 1, 4],
    ["Buildkite counts from 0", { BUILDKITE_PARALLEL_JOB: "3", BUILDKITE_PARALLEL_JOB_COUNT: "4" }, 4, 4],
    ["Azure Pipelines counts from 1", { SYSTEM_JOBPOSITIONINPHASE: "4", SYSTEM_TOTALJOBSINPHASE: "4" }, 4, 4],
    ["AWS Batch counts from 0", { AWS_BATCH_JOB_ARRAY_INDEX: "0", AWS_BATCH_JOB_ARRAY_SIZE: "9" }, 1, 9],
    ["--array=0-3 of Slurm", slurm({ id: 0, count: 4, min: 0, max: 3, step: 1 }), 1, 4],
    ["--array=1-4 of Slurm", slurm({ id: 4, count: 4, min: 1, max: 4, step: 1 }), 4, 4],
    ["--array=10-30:10 of Slurm", slurm({ id: 20, count: 3, min: 10, max: 30, step: 10 }), 2, 3],
    [
      "the system that shares the run out, not the one it runs on",
      { ...slurm({ id: 1, count: 4, min: 0, max: 3, step: 1 }), CI_NODE_INDEX: "1", CI_NODE_TOTAL: "8" },
      1,
      8,
    ],
  ])("asks the CI system: %s", (_name, env, index, of) => {
    expect(parseShard("auto", env)).toEqual({ success: true, data: { index, of } });
    expect(parseShard(` auto/${of}`, env)).toEqual({ success: true, data: { index, of } });
  });

  it("takes how many there are from the command line where Kubernetes does not say it", () => {
    expect(parseShard("auto/4", { JOB_COMPLETION_INDEX: "3" })).toEqual({ success: true, data: { index: 4, of: 4 } });
  });

  it.each([
    [{}, "Could not find out which shard this job is", "Set --shard i/n"],
    [{ CI_NODE_TOTAL: "4" }, "Could not find out which shard this job is", "CI_NODE_INDEX and CI_NODE_TOTAL"],
    [{ CI_NODE_INDEX: "x", CI_NODE_TOTAL: "4" }, 'CI_NODE_INDEX is "x", not a whole number', "Check it"],
    [{ CIRCLE_NODE_INDEX: "4", CIRCLE_NODE_TOTAL: "4" }, "Shard 5 of 4 does not exist", "The last is --shard 4/4"],
    [{ JOB_COMPLETION_INDEX: "0" }, "Kubernetes does not say how many jobs there are", "Write --shard auto/n"],
    [slurm({ id: 7, count: 3, min: 1, max: 7, step: 1 }), "are not numbered in equal steps", "an array without gaps"],
    [slurm({ id: 2, count: 3, min: 1, max: 5, step: 2 }), "are not numbered in equal steps", "an array without gaps"],
    [slurm({ id: 1, count: 3, min: 1, max: 3 }), "SLURM_ARRAY_TASK_STEP is not set", "set --shard i/n"],
    [{ ...slurm({ id: 1, count: 3, min: 1, max: 3, step: 0 }) }, "are not numbered in equal steps", "without gaps"],
  ])("says what is wrong with %j", (env, message, hint) => {
    expect(parseShard("auto", env)).toMatchObject({
      success: false,
      error: { message: expect.stringContaining(message), hint: expect.stringContaining(hint) },
    });
  });

  it.each([
    ["auto/4", { CI_NODE_INDEX: "1", CI_NODE_TOTAL: "3" }, "GitLab reports 3 jobs, not 4", "or name the shard: i/4"],
    ["auto/0", { JOB_COMPLETION_INDEX: "0" }, "The number of shards must be at least 1", "Use --shard 1/1"],
    ["auto/4", { JOB_COMPLETION_INDEX: "4" }, "Shard 5 of 4 does not exist", "The last is --shard 4/4"],
    ["auto/x", { JOB_COMPLETION_INDEX: "0" }, '"auto/x" is not a shard', "Use i/n"],
    ["auto/", { JOB_COMPLETION_INDEX: "0" }, '"auto/" is not a shard', "Use i/n"],
    ["auto/2/2", { JOB_COMPLETION_INDEX: "0" }, '"auto/2/2" is not a shard', "Use i/n"],
  ])("says what is wrong with %j where %j", (text, env, message, hint) => {
    expect(parseShard(text, env)).toMatchObject({
      success: false,
      error: { message, hint: expect.stringContaining(hint) },
    });
  });
});
