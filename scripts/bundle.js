import { existsSync } from "node:fs";
import { readFile, rm, stat, writeFile, readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { bundleServer } from "./bundle-server.js";
import { bundleViewer, styleSheets } from "./bundle-viewer.js";
import { stampOf } from "./compiled-package.js";
import { copyExamples } from "./copy-examples.js";
import { entryOf, fromFileApart, namesIn, sourceApart } from "./files-apart.js";
import { makeDatabase } from "./make-database.js";
import { withPlainExports } from "./plain-exports.js";
import { renderNotices } from "./render-notices.js";
import { withoutAjv, withoutServers } from "./without-parts.js";

/**
 * Makes `dist` of both packages from what tsc wrote into `build`. Loading a few hundred small modules, and libraries
 * that are larger than what is used of them, is most of the start-up time; in one piece they load in a fraction of it.
 * Libraries in `dependencies` stay outside: they are loaded when they are first used. Those in `devDependencies` that
 * the code imports are taken in, with their licenses.
 */
const root = resolve(import.meta.dirname, "..");

/**
 * Modules of Node itself are taken by a call instead of an import: for an import, Node makes a module that reads every
 * export of each, some of which load a great deal more of Node. What starts programs is loaded when it is called, also by a
 * library that requires it: most runs start none.
 */
const whenCalled = new Set(["node:child_process"]);
const fromNode = {
  name: "from-node",
  resolveId: (id, importer, { kind }) =>
    !id.startsWith("node:")
      ? null
      : whenCalled.has(id) || (kind === "import-statement" && importer?.includes("rolldown/runtime") !== true)
        ? `\0${id}`
        : { id, external: true },
  load(id) {
    if (!id.startsWith("\0node:")) return null;
    const name = id.slice(1);
    const members = Object.keys(process.getBuiltinModule(name)).filter((member) => /^[a-z]\w*$/i.test(member));
    const call = `process.getBuiltinModule("${name}")`;
    const lines = whenCalled.has(name)
      ? members.map((member) => `export const ${member} = (...given) => ${call}.${member}(...given);`)
      : [`const builtin = ${call};`, "export default builtin;"].concat(
          members.map((member) => `export const ${member} = builtin.${member};`),
        );
    return { code: lines.join("\n"), moduleType: "js", moduleSideEffects: false };
  },
};

/**
 * CommonJS loads everything with `require`, since a single `import()` makes Node load its loader of ECMAScript modules.
 * So the command line takes the CommonJS of core.
 */
const byRequire = (outside) => ({
  name: "by-require",
  resolveId(id, _, { kind }) {
    if (!id.startsWith("node:") && !isOf(outside, id)) return null;
    if (kind === "dynamic-import") return `\0required:${encodeURIComponent(id)}`;
    return id.startsWith("node:") ? null : { id: commonNameOf(id), external: true };
  },
  load(id) {
    if (!id.startsWith("\0required:")) return null;
    const name = decodeURIComponent(id.slice("\0required:".length));
    return { code: `module.exports = require(${JSON.stringify(name)});`, moduleType: "js" };
  },
});
const commonNameOf = (id) =>
  id.replace(/^@kindlm\/core(?:\/(.*))?$/, (_, path = "index") => `@kindlm/core/cjs/${path}.cjs`);
const isOf = (libraries, id) => libraries.some((library) => id === library || id.startsWith(`${library}/`));

/** The modules that every program waits for that imports core: what its index and `program` import, directly or not. */
const initial = new Set();
const findInitial = {
  name: "find-initial",
  buildEnd() {
    const visit = (id) => {
      const found = initial.has(id) ? null : this.getModuleInfo(id);
      if (found === null) return;
      initial.add(id);
      for (const imported of found.importedIds) visit(imported);
    };
    for (const entry of ["index.js", "program.js"]) visit(join(folderOf("core"), "build", entry));
  },
};

const folderOf = (name) => join(root, "packages", name);
/** Taken away before anything else of a bundle is touched, and written last: while it is there, the bundle is whole. */
const noticesOf = (name) => join(folderOf(name), "dist", "THIRD-PARTY-NOTICES.md");

/**
 * One bundle; gives the paths of the modules that are in it. Without `groups` it is a single file.
 * @param {{ format: "esm" | "cjs", folder?: string, entryFileNames: string, groups?: readonly object[] }} form
 */
async function write(name, input, { format, folder = "", entryFileNames, groups }) {
  const from = folderOf(name);
  const manifest = JSON.parse(await readFile(join(from, "package.json"), "utf8"));
  const libraries = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const outside = libraries.filter((library) => !namesIn(input).some((part) => part.startsWith(`${library}/`)));
  const build = await rolldown({
    input,
    cwd: from,
    platform: "node",
    external: (id) => format === "esm" && isOf(outside, id),
    // What is not used of a module of Node is not even read.
    treeshake: { propertyReadSideEffects: false },
    plugins: [
      ...(format === "cjs" ? [byRequire(outside)] : []),
      withoutServers,
      fromNode,
      fromFileApart(folder),
      sourceApart,
      withoutAjv,
      findInitial,
    ],
    checks: { ineffectiveDynamicImport: false },
  });
  // Names of functions stay, since they stand in stack traces.
  const minify = { compress: true, mangle: { keepNames: true } };
  // What several parts share is in one file: each file more costs a millisecond.
  const codeSplitting = groups === undefined ? false : { groups: [...groups, { name: "shared", minShareCount: 2 }] };
  const chunkFileNames = format === "esm" ? "[name]-[hash].js" : "[name]-[hash].cjs";
  const dir = join(from, "dist", folder);
  const { output } = await build.write({ dir, format, entryFileNames, chunkFileNames, minify, codeSplitting });
  await build.close();
  for (const { fileName } of output) await escapeFile(join(dir, fileName));
  return output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
}

/**
 * Node reads a file of ASCII characters alone in half the time, and V8 keeps it in half the memory. The command line is
 * never bundled again, so it needs no marks for that, which are 14 kB.
 */
async function escapeFile(path) {
  const written = await readFile(path, "utf8");
  const code = path.endsWith(".cjs") ? withPlainExports(written.replaceAll("/* @__PURE__ */ ", " ")) : written;
  const escape = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  await writeFile(path, code.replaceAll(/[^\0-\u007f]/g, escape));
}

/** One package, from nothing. `more` are modules that are in files of another kind. */
async function bundle(name, bundles, more = []) {
  const dist = join(folderOf(name), "dist");
  await rm(noticesOf(name), { force: true });
  for (const file of existsSync(dist) ? await readdir(dist, { recursive: true }) : []) {
    if (/\.c?js$/.test(file)) await rm(join(dist, file));
  }
  // Of the code that was there before.
  await rm(join(folderOf(name), ".cache"), { recursive: true, force: true });
  const writeOne = ({ entries, ...form }) => {
    const places = Array.isArray(entries)
      ? Object.fromEntries(entries.map((entry) => [entry, join(folderOf(name), "build", `${entry}.js`)]))
      : entries;
    return write(name, places, form);
  };
  // The first finds out what is initial.
  const [first, ...others] = bundles;
  const modules = [...more, await writeOne(first), ...(await Promise.all(others.map(writeOne)))];
  await writeFile(noticesOf(name), await renderNotices(modules.flat()));
}

/** True when both bundles are newer than all that they are made of. */
async function areUpToDate(names) {
  const timeOf = (path) => stat(path).then(({ mtimeMs }) => mtimeMs);
  const packages = [...names, "viewer"];
  const manifests = ["pnpm-lock.yaml", ...packages.map((name) => `packages/${name}/package.json`)];
  const scripts = ["bundle.js", "bundle-viewer.js", "files-apart.js", "plain-exports.js", "without-parts.js"];
  const sources = [...manifests, ...scripts.map((file) => `scripts/${file}`)].map((path) => join(root, path));
  const inputs = [...packages.map(stampOf), ...sources, ...(await styleSheets(folderOf("viewer")))];
  const written = await Promise.all(names.map((name) => timeOf(noticesOf(name)).catch(() => 0)));
  return Math.min(...written) > Math.max(...(await Promise.all(inputs.map(timeOf))));
}

async function bundleCore() {
  // All that every program loads is in one file. Few configs need the library for YAML.
  const yaml = { name: "yaml", test: /node_modules[\\/]yaml[\\/]/, priority: 1 };
  const core = { name: "core", test: (id) => initial.has(id), priority: 1 };
  // Each is a subpath of the package, so that nobody loads a use case that he does not call.
  const useCases = (await readdir(join(folderOf("core"), "src", "commands")))
    .filter((file) => /^[a-z-]+\.ts$/.test(file))
    .map((file) => `commands/${basename(file, ".ts")}`);
  // What the worker of the user's modules runs. It needs little of core, and CommonJS starts faster.
  const worker = join(folderOf("core"), "build", "module-worker", "module-worker.js");
  // Apart from what may be kept compiled, as it says.
  const importing = { name: "import-module", test: /modules[\\/]import-module\.js$/, priority: 2 };
  const library = ["index", "program", ...useCases];
  return bundle("core", [
    // The server takes the documents of uploads; the command line does without their schemas.
    { entries: [...library, "upload"], format: "esm", entryFileNames: "[name].js", groups: [core, yaml] },
    // For the command line, see docs/adr/0022-start-up.md.
    { entries: library, format: "cjs", folder: "cjs", entryFileNames: "[name].cjs", groups: [importing, core, yaml] },
    { entries: entryOf("ajv.cjs"), format: "cjs", entryFileNames: "ajv.cjs" },
    { entries: entryOf("http-client.cjs"), format: "cjs", entryFileNames: "http-client.cjs" },
    { entries: worker, format: "cjs", entryFileNames: "module-worker.cjs" },
  ]);
}

async function bundleCli() {
  const viewerModules = await bundleViewer(folderOf("viewer"), join(folderOf("cli"), "dist", "viewer.json"));
  // The tests call `main` of the bundle in an environment that they make.
  const programs = [
    { entries: ["start", "main", "environment"], format: "cjs", entryFileNames: "[name].cjs", groups: [] },
    { entries: join(folderOf("cli"), "build", "bin.js"), format: "cjs", entryFileNames: "bin.cjs" },
    { entries: entryOf("wide-text.cjs"), format: "cjs", entryFileNames: "wide-text.cjs" },
  ];
  return bundle("cli", programs, viewerModules);
}

const isOld = !(await areUpToDate(["core", "cli"]));
const server = folderOf("server");
await Promise.all([makeDatabase(server), bundleServer(server), ...(isOld ? [bundleCore(), bundleCli()] : [])]);
await copyExamples(join(root, "examples"), join(folderOf("cli"), "dist", "examples"));
