import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { bundleScript, dense } from "./bundle-viewer.js";
import { stampOf } from "./compiled-package.js";
import { renderNotices } from "./render-notices.js";

/**
 * Makes `dist` of the results server: the program and its workers. What is in `dependencies` stays outside.
 */
export async function bundleServer(folder) {
  const dist = join(folder, "dist");
  await mkdir(dist, { recursive: true });
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const notices = join(dist, "THIRD-PARTY-NOTICES.md");
  const viewer = join(folder, "..", "viewer");
  const scripts = [import.meta.filename, join(import.meta.dirname, "bundle-viewer.js")];
  const compiled = ["server", "viewer"].map(stampOf);
  const sheets = await pageSheets(folder, viewer);
  const styles = [...sheets, ...viewerSheets(viewer)];
  if (await isNewer(notices, [...compiled, ...styles, ...scripts, join(folder, "package.json")])) return;
  await rm(notices, { force: true });
  for (const file of await readdir(dist)) if (file.endsWith(".js") || file.startsWith(".")) await rm(join(dist, file));
  const outside = Object.keys(manifest.dependencies);
  const build = await rolldown({
    input: {
      bin: join(folder, "build", "bin.js"),
      "pglite-worker": join(folder, "build", "database", "pglite-worker.js"),
      "upload-worker": join(folder, "build", "uploads", "upload-worker.js"),
    },
    cwd: folder,
    platform: "node",
    external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
  });
  await writeFile(join(dist, "pages.json"), JSON.stringify(await makeAssets(viewer, sheets)));
  const { output } = await build.write({ dir: dist, format: "esm", entryFileNames: "[name].js", minify: true });
  await build.close();
  const modules = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
  await writeFile(notices, await renderNotices(modules));
}

/** The style sheets of the pages: what they share with the HTML report, and their own. */
async function pageSheets(folder, viewer) {
  const own = join(folder, "src", "pages", "style");
  const names = (await readdir(own)).filter((name) => name.endsWith(".css")).toSorted();
  const shared = ["base.css", "figures.css"].map((name) => join(viewer, "src", "style", name));
  return [...shared, ...names.map((name) => join(own, name))];
}

/** What browsers load with the pages, by name. */
async function makeAssets(viewer, sheets) {
  const styleOf = async (paths) => dense((await Promise.all(paths.map((path) => readFile(path, "utf8")))).join("\n"));
  const script = await bundleScript(viewer, "server-page.ts");
  const report = await bundleScript(viewer, "served-report.tsx");
  return {
    "page.css": await styleOf(sheets),
    "page.js": script.code.trim(),
    "viewer.css": await styleOf(viewerSheets(viewer)),
    "viewer.js": report.code.trim(),
    "icon.svg": icon,
  };
}

/** Of the cases of a run, as the HTML report shows them. */
const viewerSheets = (viewer) =>
  ["cases.css", "detail.css", "widths.css"].map((name) => join(viewer, "src", "style", name));

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#3a4fd0"/>' +
  '<path d="M9 16.5l5 5 9-11" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"/></svg>';

async function isNewer(file, sources) {
  const timeOf = (path) => stat(path).then(({ mtimeMs }) => mtimeMs);
  const written = await timeOf(file).catch(() => 0);
  return written > Math.max(...(await Promise.all(sources.map(timeOf))));
}
