import { describe, expect, it } from "vitest";
import { parseGitStatus } from "./conduct-run.js";

describe("parseGitStatus", () => {
  it.each([
    ["# branch.oid abc123\n# branch.head main\n", { commit: "abc123", branch: "main", dirty: false }],
    ["# branch.oid abc123\n# branch.head (detached)\n1 .M N... f", { commit: "abc123", branch: null, dirty: true }],
    ["# branch.oid (initial)\n# branch.head main\n", null],
    ["", null],
  ])("%j", (text, expected) => {
    expect(parseGitStatus(text)).toEqual(expected);
  });
});
