import { describe, expect, it } from "vitest";
import { matchesNameGlob } from "./name-glob.js";

describe("matchesNameGlob", () => {
  it.each([
    ["fs_*", "fs_read", true],
    ["fs_*", "xfs_read", false],
    ["*", "", true],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["a.c", "abc", false],
    ["*(x)*", "f(x)", true],
    ["*a*a*a*a*a*a*a*a*a*b", "a".repeat(40), false],
  ])("%s takes %s: %s", (glob, name, expected) => {
    expect(matchesNameGlob(glob, name)).toBe(expected);
  });
});
