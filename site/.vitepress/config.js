import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { keepBraces, linkToRepository, slugify } from "./markdown.js";
import { homeOf, readList, sidebarOf } from "./pages.js";

const base = "/docs/";
const docs = new URL("../../docs/", import.meta.url);

/** The documentation is all there is on the host, so its root leads to it. */
async function writeRoot({ outDir }) {
  const root = join(outDir, "..");
  const refresh = `<!doctype html><meta http-equiv="refresh" content="0; url=${base}"><a href="${base}">KindLM</a>\n`;
  await writeFile(join(root, "index.html"), refresh);
  await copyFile(join(outDir, "404.html"), join(root, "404.html"));
}

const homePage = {
  name: "home-page",
  enforce: "pre",
  transform: (code, id) => (id.endsWith("/docs/README.md") ? homeOf(code) : undefined),
};

/** Pages become modules that import Vue, and no folder above them has it. */
const libraries = {
  name: "libraries-of-pages",
  enforce: "pre",
  resolveId(source, importer) {
    if (!/^vue($|\/)/.test(source) || !importer?.startsWith(fileURLToPath(docs))) return null;
    return this.resolve(source, fileURLToPath(import.meta.url), { skipSelf: true });
  },
};

export default defineConfig({
  title: "KindLM",
  description: "Tests for AI agents: which tools they call, with which arguments, and what they must never do",
  base,
  srcDir: "../docs",
  srcExclude: ["adr/**", "benchmarks.md"],
  outDir: "dist/docs",
  cacheDir: ".cache",
  cleanUrls: true,
  rewrites: {
    "README.md": "index.md",
    ":folder/README.md": ":folder/index.md",
    "reference/:page": ":page",
  },
  head: [
    ["link", { rel: "icon", type: "image/svg+xml", href: "/docs/logo.svg" }],
    ["meta", { name: "theme-color", content: "#3a4fd0" }],
  ],
  markdown: {
    anchor: { slugify },
    config(markdown) {
      keepBraces(markdown);
      linkToRepository(markdown);
    },
  },
  vite: {
    build: { chunkSizeWarningLimit: 2000 },
    publicDir: "../site/public",
    plugins: [homePage, libraries],
  },
  buildEnd: writeRoot,
  transformPageData(page) {
    if (page.relativePath === "index.md") Object.assign(page.frontmatter, home);
  },
  themeConfig: {
    logo: "/logo.svg",
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Quick start", link: "/quick-start" },
      { text: "Assertions", link: "/assertions" },
      { text: "Config", link: "/config" },
    ],
    sidebar: sidebarOf(readList(docs)),
    socialLinks: [{ icon: "github", link: "https://github.com/kindlm/kindlm" }],
    editLink: {
      pattern: ({ filePath }) => `https://github.com/kindlm/kindlm/edit/main/docs/${filePath}`,
      text: "Edit this page",
    },
    footer: { message: "MIT license" },
  },
});

const home = {
  layout: "home",
  title: "Tests for AI agents",
  hero: {
    name: "KindLM",
    text: "Tests for AI agents",
    tagline: "Describe how your agent must behave. KindLM runs it and shows exactly where it went wrong.",
    actions: [
      { theme: "brand", text: "Quick start", link: "/quick-start" },
      { theme: "alt", text: "How it works", link: "/how-it-works" },
    ],
  },
};
