import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseYaml } from "../packages/core/src/__fixtures__/parse-yaml.js";
import { getReleaseLine } from "../.changeset/changelog.js";
import { repository } from "./support/run-cli.js";

const folder = join(repository, ".changeset");
const changesets = readdirSync(folder)
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));

const { fixed } = JSON.parse(readFileSync(join(folder, "config.json"), "utf8")) as { fixed: string[][] };

/** What is wrong with a changeset. `changeset version` would stop at it, on the day of the release. */
function problemOf(text: string): string | null {
  const [, head = "", body = ""] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? [];
  if (body.trim() === "") return "it does not say what changed";
  const bumps = Object.entries(parseYaml(head) as Record<string, string>);
  if (bumps.length === 0) return "it names no package";
  const unknown = bumps.find(([name, bump]) => !fixed.flat().includes(name) || !/^(?:major|minor|patch)$/.test(bump));
  return unknown === undefined ? null : `${unknown.join(": ")} is not a package with major, minor or patch`;
}

it("has changesets that a release can take", () => {
  expect(problemOf('---\n"kindlm": minor\n---\n\nSomething new.\n')).toContain("kindlm: minor is not a package");
  expect(problemOf('---\n"@kindlm/cli": minor\n---\n\n')).toBe("it does not say what changed");
  expect(changesets.map(({ name, text }) => [name, problemOf(text)]).filter(([, problem]) => problem !== null)).toEqual(
    [],
  );
});

it("lists changes without commits", () => {
  expect(getReleaseLine({ summary: "First line.\n\nSecond.\n" })).toBe("- First line.\n\n  Second.");
});
