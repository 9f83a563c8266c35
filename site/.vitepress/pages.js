import { readFileSync } from "node:fs";
import { posix } from "node:path";

/**
 * The pages of the site, from the list in docs/README.md. A heading there is a section of the sidebar, and the first
 * link of a list item is a page. The other links of the item are pages below it.
 */

const list = /^## All pages$([^]*)/m;

/** @returns {{ text: string, items: { text: string, path: string, items: { text: string, path: string }[] }[] }[]} */
export function sectionsOf(readme) {
  const [, listed = ""] = list.exec(readme) ?? [];
  const sections = listed.split(/^### /m).slice(1);
  return sections.map((section) => {
    const [text] = section.split("\n");
    const items = [...section.matchAll(/^- (.*(?:\n {2}.*)*)/gm)].map(([, item]) => pagesOf(item));
    return { text, items: items.filter((item) => item !== null) };
  });
}

function pagesOf(item) {
  const [first, ...others] = [...item.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)]
    .map(([, text, path]) => ({ text, path: posix.normalize(path) }))
    .filter(({ path }) => isOnSite(path));
  return first === undefined ? null : { ...first, items: others };
}

/** What is listed stays on GitHub if it is for those who change KindLM, or if it is no page. */
export function isOnSite(path) {
  return path.endsWith(".md") && !/^(\.\.\/|adr\/|benchmarks\.md$)/.test(path);
}

/** `reference/config.md` is published as `config`, `providers/README.md` as `providers/`. */
export function addressOf(path) {
  return path
    .replace(/^reference\//, "")
    .replace(/(^|\/)README\.md$/, "$1")
    .replace(/\.md$/, "");
}

export function sidebarOf(readme) {
  const entryOf = ({ text, path, items = [] }) => ({
    text,
    link: `/${addressOf(path)}`,
    ...(items.length === 0 ? {} : { collapsed: true, items: items.map(entryOf) }),
  });
  return sectionsOf(readme).map(({ text, items }, index) => ({
    text,
    collapsed: index > 1,
    items: items.map(entryOf),
  }));
}

/** The tasks of the list, which are cards under a title of the site. The sidebar is the list of all pages. */
export function homeOf(readme) {
  const [tasks = ""] = /^## I want to [^]*?(?=^## )/m.exec(readme) ?? [];
  return tasks.replaceAll("): ", ") ");
}

export const readList = (docs) => readFileSync(new URL("README.md", docs), "utf8");
