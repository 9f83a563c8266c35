import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { slugify } from "../../../site/.vitepress/markdown.js";
import { addressOf, isOnSite } from "../../../site/.vitepress/pages.js";
import { repository } from "../run-cli.js";
import { namesIn, readPage, withoutCode } from "./pages.js";

/** The pages of the site by their addresses there. */
const onSite = new Map(
  namesIn("docs")
    .filter((page) => isOnSite(page.slice("docs/".length)))
    .map((page) => [addressOf(page.slice("docs/".length)), page]),
);

const known = new Map<string, ReadonlySet<string>>();

/** The anchors of a page as GitHub and the site name them. A heading that is there twice has a number the second time. */
function anchorsOf(page: string): ReadonlySet<string> {
  const found = known.get(page);
  if (found !== undefined) return found;
  const counts = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutCode(readPage(page)).matchAll(/^#{1,6} (.*)$/gm)) {
    const slug = slugify(heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1"));
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  known.set(page, anchors);
  return anchors;
}

const hasAnchor = (page: string, anchor: string | undefined): boolean =>
  anchor === undefined || !page.endsWith(".md") || anchorsOf(page).has(anchor);

/** Addresses of the site that lead to no page, or to no heading of it. */
export const brokenAddresses = (text: string): readonly string[] =>
  [...text.matchAll(/kindlm\.com\/docs\/([\w/-]*)(?:#([\w-]+))?/g)]
    .filter(([, address = "", anchor]) => {
      const page = onSite.get(address);
      return page === undefined || !hasAnchor(page, anchor);
    })
    .map(([link]) => link);

/** Links of a page to files, headings and pages of the site that are not there. */
export function brokenLinks(page: string, markdown: string): readonly string[] {
  const text = withoutCode(markdown).replaceAll(/`[^`\n]*`/g, "");
  const links = [
    ...text.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g),
    ...text.matchAll(/^\[[^\]]+\]: *(\S+)/gm),
    ...text.matchAll(/\b(?:href|src|srcset)="([^"\s]+)"/g),
  ].map(([, link = ""]) => link);
  const broken = links.filter((link) => {
    if (/^[a-z]+:|^\/\//.test(link)) return false;
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? page : join(dirname(page), decodeURI(path));
    if (!existsSync(join(repository, target))) return true;
    return !statSync(join(repository, target)).isDirectory() && !hasAnchor(target, anchor);
  });
  return [...broken, ...brokenAddresses(text)];
}
