import { describe, expect, it } from "vitest";
import { parseShard } from "./to-run-options.js";

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
  ])("asks the CI system: %s", (_name, env, index, of) => {
    expect(parseShard("auto", env)).toEqual({ success: true, data: { index, of } });
  });

  it.each([
    [{}, "Could not find out which shard this job is", "Set --shard i/n"],
    [{ CI_NODE_TOTAL: "4" }, "Could not find out which shard this job is", "CI_NODE_INDEX and CI_NODE_TOTAL"],
    [{ CI_NODE_INDEX: "x", CI_NODE_TOTAL: "4" }, "GitLab reports job x of 4", "Check CI_NODE_INDEX"],
    [{ CIRCLE_NODE_INDEX: "4", CIRCLE_NODE_TOTAL: "4" }, "Shard 5 of 4 does not exist", "The last is --shard 4/4"],
  ])("says what is wrong with %j", (env, message, hint) => {
    expect(parseShard("auto", env)).toMatchObject({
      success: false,
      error: { message: expect.stringContaining(message), hint: expect.stringContaining(hint) },
    });
  });
});
