import fc from "fast-check";
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { anyText } from "../../core/src/__fixtures__/any-text.js";
import { testCommand } from "./commands/test/command.js";
import { renderResumeCommand } from "./main.js";

const rendered = (argv: readonly string[]): string =>
  renderResumeCommand(argv, { runId: "id-1", flags: testCommand.flags, program: "kindlm" });

describe("renderResumeCommand", () => {
  it.each([
    [["test"], "kindlm test --resume --run id-1"],
    [
      ["-c", "a b.yaml", "test", "--runs=3", "--verbose"],
      "kindlm -c 'a b.yaml' test --runs=3 --verbose --resume --run id-1",
    ],
    [["test", "--resume"], "kindlm test --resume --run id-1"],
    [["test", "--run", "old", "-t", "x"], "kindlm test -t x --resume --run id-1"],
    [["test", "--run=old", "--resume", "--bail=1"], "kindlm test --bail=1 --resume --run id-1"],
    [["test", "--rerun-failed", "--run", "old"], "kindlm test --resume --run id-1"],
    // The value of an option is a value, whatever it looks like.
    [["test", "-t", "--run", "--tag", "--resume"], "kindlm test -t --run --tag --resume --resume --run id-1"],
    [["test", "-t", "--", "a.yaml"], "kindlm test -t -- a.yaml --resume --run id-1"],
    [["test", "--", "--resume", "--run"], "kindlm test --resume --run id-1 -- --resume --run"],
    [["test", "-t", "it's"], String.raw`kindlm test -t 'it'\''s' --resume --run id-1`],
    [["test", "-t", ""], "kindlm test -t '' --resume --run id-1"],
  ])("%j", (argv, expected) => {
    expect(rendered(argv)).toBe(expected);
  });

  it("can be pasted: a shell reads the very same arguments", () => {
    const words = fc.array(
      anyText({ minLength: 0, maxLength: 12 }).filter((word) => !word.includes("\0")),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(words, (written) => {
        const command = rendered(["test", "--", ...written]).replace(/^kindlm/, String.raw`printf '%s\0'`);
        const read = execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" }).split("\0").slice(0, -1);
        expect(read).toEqual(["test", "--resume", "--run", "id-1", "--", ...written.map(wellFormed)]);
      }),
      { numRuns: 20 },
    );
  });
});

/** Lone surrogates have no place in a command line. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
