import { posix } from "node:path";

/** The file of a page of the site, from its address below `/docs/`. */
export function fileOf(address) {
  return address === "" || address.endsWith("/") ? posix.join(address, "index.html") : `${address}.html`;
}

/**
 * Links to headings that are not there. VitePress finds links to pages that are not there, and no more.
 *
 * @param {Map<string, string>} pages Built pages by their file.
 */
export function deadAnchors(pages) {
  const idsOf = new Map(
    [...pages].map(([name, html]) => [name, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  );
  return [...pages].flatMap(([name, html]) =>
    [...html.matchAll(/<a [^>]*href="([^"#:]*)#([^"]+)"/g)].flatMap(([, path, anchor]) => {
      if (path !== "" && !path.startsWith("/docs/")) return [];
      const target = path === "" ? name : fileOf(path.replace("/docs/", ""));
      const isKnown = idsOf.get(target)?.has(decodeURIComponent(anchor));
      return isKnown ? [] : [`${name}: ${path}#${anchor} leads nowhere`];
    }),
  );
}
