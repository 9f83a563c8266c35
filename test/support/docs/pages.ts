import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../run-cli.js";

/** A block between two fences. Its info string is a language and what the page says about the block: `yaml in=suite`. */
export interface Block {
  page: string;
  /** Page and line, such as `docs/costs.md:12`. */
  place: string;
  language: string;
  attributes: Readonly<Record<string, string>>;
  text: string;
  /** Where its text begins and ends in the page. */
  start: number;
  end: number;
}

export const namesIn = (folder: string): readonly string[] =>
  readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(".md") && !name.includes("/node_modules/"))
    .toSorted();

export const readPage = (page: string): string => readFileSync(join(repository, page), "utf8");

const published = ["cli", "core", "server", "vitest"].map((name) => `packages/${name}/README.md`);

/** Pages that somebody has written for users, by their paths. */
export const pages: readonly string[] = [
  "README.md",
  ...published,
  ...namesIn("docs").filter((name) => !/^docs\/(?:adr|reference)\//.test(name)),
  ...namesIn("examples").filter((name) => name.endsWith("/README.md")),
];

const fence = /^( *)(`{3,}|~{3,})([^\n`]*)\n([^]*?)^\1\2 *$/gm;

/** Without its blocks between fences. */
export const withoutCode = (markdown: string): string => markdown.replaceAll(fence, "");

export function blocksOf(page: string): readonly Block[] {
  const markdown = readPage(page);
  return [...markdown.matchAll(fence)].map(({ index, 1: indent = "", 2: mark = "", 3: info = "", 4: text = "" }) => {
    const [language = "", ...words] = info.trim().split(/ +/);
    const start = index + indent.length + mark.length + info.length + 1;
    return {
      page,
      place: `${page}:${markdown.slice(0, start).split("\n").length}`,
      language,
      attributes: Object.fromEntries(words.map((word) => word.split(/=(.*)/, 2))),
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      start,
      end: start + text.length,
    };
  });
}

/** What a page shows of a file. */
export function fileOn(page: string, name: string): string {
  const shown = blocksOf(page).find(({ language, attributes }) => attributes["file"] === name && language !== "diff");
  if (shown === undefined) throw new Error(`${page} shows no file ${name}`);
  return shown.text;
}

/** How many words of a page are prose: those of code, tables, comments and the targets of links are not. */
export function proseWords(markdown: string): number {
  const prose = withoutCode(markdown)
    .replaceAll(/<!--[^]*?-->/g, "")
    .replaceAll(/^ *\|.*$/gm, "")
    .replaceAll(/\]\([^)]*\)/g, "]");
  return prose.match(/[\p{L}\p{N}][^\s|]*/gu)?.length ?? 0;
}
