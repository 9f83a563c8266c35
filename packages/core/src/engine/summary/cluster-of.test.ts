import { describe, expect, it } from "vitest";
import { clusterOf } from "./cluster-of.js";

describe("clusterOf", () => {
  const one = { suite: "s", name: "t", row: "r" };

  it("is test and row, whatever the model, unless there is a group", () => {
    expect(clusterOf(one)).toBe(clusterOf({ ...one }));
    const others = [
      { ...one, suite: "other" },
      { ...one, name: "other" },
      { ...one, row: "other" },
      { ...one, row: null },
      { ...one, group: "g" },
    ];
    expect(new Set([one, ...others].map(clusterOf)).size).toBe(6);
  });

  it("is the group, across tests and suites", () => {
    expect(clusterOf({ suite: "a", name: "b", row: null, group: "g" })).toBe(clusterOf({ ...one, group: "g" }));
  });

  it("keeps names apart that look the same when they are put together", () => {
    expect(clusterOf({ suite: 'a","b', name: "c", row: null })).not.toBe(
      clusterOf({ suite: "a", name: 'b","c', row: null }),
    );
  });
});
