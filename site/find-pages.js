import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** What readers look for, and the pages that must be among the first five results. */
const wanted = [
  ["quick start", "quick-start"],
  ["promptfoo", "from-promptfoo"],
  ["github actions", "ci"],
  ["blind retry", "recovery"],
  ["regressed", "baselines"],
  ["record and replay", "cassettes"],
  ["casette", "cassettes"],
  ["tool_not_called", "assertions"],
  ["PROVIDER_RATE_LIMIT", "errors"],
  ["fault latency", "config"],
  ["price per million", "costs"],
  ["exit code", "verdicts"],
  ["simulated user", "simulated-users"],
];

/** Asks the index as the search box does. Gives a line for each page that is not found. */
export async function missedPages(indexFile) {
  // The library that VitePress searches with, in its version.
  const vitepress = realpathSync(new URL("node_modules/vitepress/package.json", import.meta.url));
  const MiniSearch = createRequire(vitepress)("minisearch");
  const { default: text } = await import(pathToFileURL(indexFile).href);
  const index = MiniSearch.loadJSON(text, { fields: ["title", "titles", "text"], storeFields: ["title", "titles"] });
  return wanted.flatMap(([words, page]) => {
    const found = index.search(words, { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } });
    const pages = [...new Set(found.map(({ id }) => id.replace(/#.*$/, "").replace("/docs/", "")))].slice(0, 5);
    return pages.includes(page) ? [] : [`A search for "${words}" does not find ${page}, but ${pages.join(", ")}`];
  });
}
