import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { brokenAddresses, brokenLinks } from "./support/docs/links.js";
import { namesIn, pages, readPage } from "./support/docs/pages.js";
import { repository } from "./support/run-cli.js";

const all = [
  ...new Set(["CHANGELOG.md", "CONTRIBUTING.md", ...pages, ...namesIn("docs"), ...namesIn("packages/cli/templates")]),
];

it("finds links that lead nowhere", () => {
  const planted = [
    "[dead page](no-page.md), [dead heading](gates.md#no-heading), [here](#no-heading), [there](../no-folder)",
    "[site](https://kindlm.com/docs/no-page), https://kindlm.com/docs/gates#no-heading, ![picture](images/none.svg)",
    "[fine](gates.md#choose-a-gate), https://kindlm.com/docs/gates#choose-a-gate, `[code](none.md)`, [far](https://x.y)",
    '<img src="images/nothing.png">, [referenced][1]',
    "[1]: nobody.md",
  ].join("\n");
  expect(brokenLinks("docs/faults.md", planted)).toEqual([
    "no-page.md",
    "gates.md#no-heading",
    "#no-heading",
    "../no-folder",
    "images/none.svg",
    "nobody.md",
    "images/nothing.png",
    "kindlm.com/docs/no-page",
    "kindlm.com/docs/gates#no-heading",
  ]);
});

it("has no link to a page or a heading that does not exist", () => {
  expect(all.length).toBeGreaterThan(150);
  const broken = all.flatMap((page) => brokenLinks(page, readPage(page)).map((link) => `${page}: ${link}`));
  expect(broken).toEqual([]);
});

it("has a page at each address of the documentation that KindLM prints", () => {
  const sources = ["core", "cli", "server", "vitest", "viewer"].flatMap((name) => {
    const folder = join(repository, "packages", name, "src");
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
    return names.map((file) => join(folder, file));
  });
  const texts = sources.map((file) => readFileSync(file, "utf8"));
  expect(texts.filter((text) => text.includes("kindlm.com/docs/")).length).toBeGreaterThan(3);
  expect(texts.flatMap(brokenAddresses)).toEqual([]);
});
