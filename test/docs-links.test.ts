import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";
import { repository } from "./support/run-cli.js";

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith(".md"));

const withoutCode = (text: string): string => text.replaceAll(/^(```|~~~)[^]*?^\1/gm, "");

/** The anchors of a page as GitHub names them: a heading in lower case, without punctuation, with hyphens. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = withoutCode(readFileSync(page, "utf8")).matchAll(/^#{1,6} (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

it.each(pages)("%s links to pages and headings that exist", (page) => {
  const file = join(repository, page);
  const links = withoutCode(readFileSync(file, "utf8")).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g);
  const broken = [...links].flatMap(([link, path = "", anchor]) => {
    const target = path === "" ? file : join(dirname(file), path);
    if (!existsSync(target)) return [link];
    const isKnown = anchor === undefined || statSync(target).isDirectory() || anchorsOf(target).has(anchor);
    return isKnown ? [] : [`${link} of ${relative(repository, target)}`];
  });
  expect(broken).toEqual([]);
});
