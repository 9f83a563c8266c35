import { posix } from "node:path";
import { isOnSite } from "./pages.js";

const repository = "https://github.com/kindlm/kindlm";

/**
 * Links to files that are not on the site lead to the repository.
 *
 * @param {import("markdown-it").default} markdown
 */
export function linkToRepository(markdown) {
  markdown.core.ruler.push("link-to-repository", ({ tokens, env }) => {
    const links = tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === "link_open");
    for (const link of links) {
      const target = link.attrGet("href") ?? "";
      if (/^[a-z]+:|^#|^\/\//.test(target)) continue;
      const [path, anchor] = target.split("#");
      const file = posix.join(posix.dirname(env.relativePath), decodeURI(path));
      if (!isOnSite(file)) link.attrSet("href", inRepository(file, anchor));
    }
  });
}

function inRepository(file, anchor) {
  const path = posix.join("docs", file);
  const kind = /\.\w+$|LICENSE$/.test(path) ? "blob" : "tree";
  return `${repository}/${kind}/main/${path}${anchor === undefined ? "" : `#${anchor}`}`;
}

/**
 * Vue would evaluate `{{row.city}}` in text, tables, and inline code. Other delimiters for the whole site are no way
 * out: the theme is compiled with them too, and loses its labels.
 *
 * @param {import("markdown-it").default} markdown
 */
export function keepBraces(markdown) {
  for (const rule of ["text", "code_inline"]) {
    const render = markdown.renderer.rules[rule];
    markdown.renderer.rules[rule] = (...args) => render(...args).replaceAll("{{", "&#123;&#123;");
  }
}

/**
 * The anchor that GitHub gives a heading, so that a link works there and here.
 *
 * @param {string} heading
 */
export const slugify = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
