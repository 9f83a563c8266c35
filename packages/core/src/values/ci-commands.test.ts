import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutCommands } from "./ci-commands.js";

/** What each system looks for, as its own runner does. */
const finders: Readonly<Record<string, (line: string) => boolean>> = {
  "GitHub Actions": (line) => line.trimStart().startsWith("::") || line.includes("##["),
  "Azure Pipelines": (line) => line.includes("##vso["),
  TeamCity: (line) => line.includes("##teamcity["),
  GitLab: (line) => /section_(?:start|end):/.test(line),
  "Travis CI": (line) => /travis_(?:fold|time):/.test(line),
  Buildkite: (line) => /^(?:---|\+\+\+|~~~|\^\^\^)\s/.test(line),
};

const found = (text: string): readonly string[] =>
  text
    .split(/\r\n|\n|\r/)
    .flatMap((line) => Object.entries(finders).flatMap(([system, finds]) => (finds(line) ? [system] : [])));

describe("withoutCommands", () => {
  it.each([
    ["::error::boo", String.raw`\u003a:error::boo`],
    ["\u00a0\u3000::error::boo", `\u00a0\u3000${String.raw`\u003a:error::boo`}`],
    ["a\r::error::boo", `a\r${String.raw`\u003a:error::boo`}`],
    ["\u001b[31m::error::boo", `\u001b[31m${String.raw`\u003a:error::boo`}`],
    ["x ##vso[task.setvariable variable=a]b", String.raw`x #\u0023vso[task.setvariable variable=a]b`],
    ["##teamcity[testStarted]", String.raw`#\u0023teamcity[testStarted]`],
    ["###[x]", String.raw`##\u0023[x]`],
    ["section_start:1:a\r\u001b[0K", String.raw`section_start\u003a1:a` + "\r\u001b[0K"],
    ["travis_fold:start:a", String.raw`travis_fold\u003astart:a`],
    ["--- group", String.raw`\u002d-- group`],
    ["a\n+++ group\n~~~ group\n^^^ +++", ["a", "\\u002b++ group", "\\u007e~~ group", "\\u005e^^ +++"].join("\n")],
  ])("writes a mark of %j out", (text, shown) => {
    expect(withoutCommands(text)).toBe(shown);
  });

  it.each([
    "a :: b",
    "std::string",
    "# [link]",
    "## Heading [x]",
    "section_one",
    "---",
    "----- x",
    "| --- | --- |",
    "a --- b",
  ])("leaves %j as it is", (text) => {
    expect(withoutCommands(text)).toBe(text);
  });

  it("leaves no command to any system, and does nothing twice", () => {
    const pieces = [
      "::",
      ":",
      "##",
      "#",
      "[",
      "vso",
      "teamcity",
      "section_start",
      "travis_fold",
      "---",
      "-",
      "+++",
      "~~~",
      "^^^",
    ];
    const parts = fc.array(fc.constantFrom(...pieces, " ", "\t", "\n", "\r", "\u00a0", "\u001b[1m", "x"), {
      maxLength: 14,
    });
    fc.assert(
      fc.property(parts, (written) => {
        const shown = withoutCommands(written.join(""));
        expect(found(shown)).toEqual([]);
        expect(withoutCommands(shown)).toBe(shown);
      }),
      { numRuns: 2_000 },
    );
  });

  it("keeps the value of JSON", () => {
    const texts = fc.array(fc.constantFrom("##vso[", "::", "section_end:", "--- ", "\\", "\n", '"', "#", "x"), {
      maxLength: 10,
    });
    fc.assert(
      fc.property(texts, fc.constantFrom(undefined, 2), (parts, indent) => {
        const value = { [parts.join("")]: [parts.join("")] };
        const shown = withoutCommands(JSON.stringify(value, null, indent));
        expect(JSON.parse(shown)).toEqual(value);
        expect(found(shown)).toEqual([]);
      }),
    );
  });

  it("takes time in proportion to the text", () => {
    for (const unit of ["::", " ", "#", "##", "-", "--- ", "section_start", "\u001b[1m", "##a"]) {
      expect(withoutCommands(`${unit.repeat(200_000)}:`).length).toBeGreaterThan(0);
    }
  });
});
