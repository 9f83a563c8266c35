import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { deadAnchors, fileOf } from "./dead-anchors.js";
import { missedPages } from "./find-pages.js";
import { addressOf, readList, sectionsOf } from "./.vitepress/pages.js";

/**
 * Fails if the built site lacks something: a page of the list, a heading that a link names, braces that Vue would have
 * evaluated, the words of the theme, or a page that a search must find. Run it after the build, which fails on a link to a page that does not exist.
 */

const dist = new URL("dist/docs/", import.meta.url).pathname;
const docs = new URL("../docs/", import.meta.url);
const names = readdirSync(dist, { recursive: true, encoding: "utf8" });
const pages = new Map(
  names.filter((name) => name.endsWith(".html")).map((name) => [name, readFileSync(join(dist, name), "utf8")]),
);
const problems = [
  ...missingPages(),
  ...deadAnchors(pages),
  ...lostBraces(),
  ...lostWords(),
  ...(await missedInSearch()),
];
for (const problem of problems) console.error(problem);
console.log(`site: ${pages.size} pages, ${sizes()}, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;

function missingPages() {
  const listed = sectionsOf(readList(docs)).flatMap(({ items }) => items.flatMap((item) => [item, ...item.items]));
  if (listed.length < 50) return [`docs/README.md lists ${listed.length} pages only`];
  return listed
    .filter(({ path }) => !pages.has(fileOf(addressOf(path))))
    .map(({ path }) => `${path} is not in the build`);
}

/** Each `{{` of a page in Markdown is in the built page. */
function lostBraces() {
  const sources = readdirSync(docs, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
  return sources.flatMap((source) => {
    const html = pages.get(fileOf(addressOf(source)));
    if (html === undefined || source === "README.md") return [];
    const wanted = readFileSync(new URL(source, docs), "utf8").split("{{").length;
    const built = html
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll("&#123;", "{")
      .split("{{").length;
    return built < wanted ? [`docs/${source} has ${wanted - 1} times {{, its page ${built - 1} times`] : [];
  });
}

/** Delimiters of Vue that keep the braces of pages would take the labels of the theme. */
function lostWords() {
  const html = pages.get("gates.html") ?? "";
  return ["On this page", "Edit this page", "Search"]
    .filter((word) => !html.includes(word))
    .map((word) => `No "${word}"`);
}

async function missedInSearch() {
  const index = names.find((name) => name.includes("localSearchIndex"));
  return index === undefined ? ["The site has no index to search"] : missedPages(join(dist, index));
}

function sizes() {
  const files = names.map((name) => join(dist, name)).filter((name) => statSync(name).isFile());
  const megabytes = (files.reduce((sum, file) => sum + statSync(file).size, 0) / 1e6).toFixed(1);
  const index = files.find((file) => file.includes("localSearchIndex"));
  const searched = index === undefined ? "none" : `${Math.round(gzipSync(readFileSync(index)).length / 1e3)} KB`;
  return `${megabytes} MB, search index ${searched} (gzip)`;
}
