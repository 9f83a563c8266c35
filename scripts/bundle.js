import { existsSync } from "node:fs";
import { readFile, rm, stat, writeFile, readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { rolldown } from "rolldown";

/**
 * Makes `dist` of both packages from what tsc wrote into `build`. Loading a few hundred small modules, and libraries
 * that are larger than what is used of them, is most of the start-up time; in one piece they load in a fraction of it.
 * Libraries in `dependencies` stay outside: they are loaded when they are first used. Those in `devDependencies` that
 * the code imports are taken in, with their licenses.
 */
const root = resolve(import.meta.dirname, "..");

/**
 * ajv is CommonJS, a quarter of everything, and loaded by `require` when a schema is first compiled. It becomes a file of
 * its own, so that runs without such a schema do not even read it.
 */
const ajvModules = ["ajv", "ajv/dist/2019.js", "ajv/dist/2020.js", "ajv-formats/dist/formats.js"];
const ajvEntry = "\0ajv-entry";
const fromAjvFile = {
  name: "from-ajv-file",
  transform(code, id) {
    return id.endsWith("create-ajv.js")
      ? code.replaceAll(/\b(require\w*)\(("ajv[^"]*")\)/g, '$1("./ajv.cjs")($2)')
      : null;
  },
};
const ajvSource = {
  name: "ajv-source",
  resolveId: (id) => (id === ajvEntry ? id : null),
  load(id) {
    if (id !== ajvEntry) return null;
    const members = ajvModules.map((name) => `${JSON.stringify(name)}: () => require(${JSON.stringify(name)})`);
    return { code: `module.exports = (name) => ({ ${members.join(", ")} })[name]();`, moduleType: "js" };
  },
};

/**
 * Modules of Node itself are taken by a call instead of an import: for an import, Node makes a module that reads every
 * export of each, some of which load a great deal more of Node.
 */
const fromNode = {
  name: "from-node",
  resolveId: (id, importer, { kind }) =>
    !id.startsWith("node:")
      ? null
      : kind === "import-statement" && importer?.includes("rolldown/runtime") !== true
        ? `\0${id}`
        : { id, external: true },
  load(id) {
    if (!id.startsWith("\0node:")) return null;
    const name = id.slice(1);
    const members = Object.keys(process.getBuiltinModule(name)).filter((member) => /^[a-z]\w*$/i.test(member));
    const lines = members.map((member) => `export const ${member} = builtin.${member};`);
    const code = `const builtin = process.getBuiltinModule("${name}");\nexport default builtin;\n${lines.join("\n")}\n`;
    return { code, moduleType: "js", moduleSideEffects: false };
  },
};

/** The modules that every program waits for that imports core: what its index and `program` import, directly or not. */
const initial = new Set();
const findInitial = {
  name: "find-initial",
  buildEnd() {
    const visit = (id) => {
      if (initial.has(id)) return;
      initial.add(id);
      for (const imported of this.getModuleInfo(id)?.importedIds ?? []) visit(imported);
    };
    for (const entry of ["index.js", "program.js"]) visit(join(folderOf("core"), "build", entry));
  },
};

/** What `bin.cjs` loads is in the other bundle of its package. */
const startFile = "./start.js";

const folderOf = (name) => join(root, "packages", name);
/** Taken away before anything else of a bundle is touched, and written last: while it is there, the bundle is whole. */
const noticesOf = (name) => join(folderOf(name), "dist", "THIRD-PARTY-NOTICES.md");

/** One bundle; gives the paths of the modules that are in it. */
async function write(name, input, { format, entryFileNames, groups }) {
  const folder = folderOf(name);
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const outside = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const build = await rolldown({
    input,
    cwd: folder,
    platform: "node",
    external: (id) => id === startFile || outside.some((library) => id === library || id.startsWith(`${library}/`)),
    // What is not used of a module of Node is not even read.
    treeshake: { propertyReadSideEffects: false },
    plugins: [fromNode, fromAjvFile, ajvSource, findInitial],
    checks: { ineffectiveDynamicImport: false },
  });
  // Names of functions stay, since they stand in stack traces.
  const minify = { compress: true, mangle: { keepNames: true } };
  // What several parts share is in one file: each file more costs a millisecond.
  const codeSplitting = format === "esm" ? { groups: [...groups, { name: "shared", minShareCount: 2 }] } : false;
  const { output } = await build.write({ dir: join(folder, "dist"), format, entryFileNames, minify, codeSplitting });
  await build.close();
  return output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
}

/** One package: what is imported as ECMAScript modules, and `common`, the files of CommonJS beside them. */
async function bundle(name, entries, groups, common) {
  const dist = join(folderOf(name), "dist");
  await rm(noticesOf(name), { force: true });
  for (const file of existsSync(dist) ? await readdir(dist, { recursive: true }) : []) {
    if (/\.c?js$/.test(file)) await rm(join(dist, file));
  }
  const inputs = Object.fromEntries(entries.map((entry) => [entry, join(folderOf(name), "build", `${entry}.js`)]));
  const modules = [await write(name, inputs, { format: "esm", entryFileNames: "[name].js", groups })];
  for (const { entry, file } of common) {
    modules.push(await write(name, entry, { format: "cjs", entryFileNames: file }));
  }
  await writeFile(noticesOf(name), await renderNotices(modules.flat()));
}

/** The licenses of the libraries that were taken in, as they ask for. */
async function renderNotices(modules) {
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  const notices = [];
  for (const folder of [...folders].toSorted((a, b) => a.localeCompare(b))) {
    const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? `License: ${license}` : (await readFile(join(folder, file), "utf8")).trim();
    notices.push(`## ${name} ${version}\n\n${text}\n`);
  }
  return `# Third-party notices\n\nThis package contains code of the following libraries.\n\n${notices.join("\n")}`;
}

/** True when both bundles are newer than all that they are made of. tsc writes `.tsbuildinfo` whenever it has compiled. */
async function areUpToDate(names) {
  const timeOf = (path) => stat(path).then(({ mtimeMs }) => mtimeMs);
  const compiled = ["packages/core/dist/.tsbuildinfo", "packages/cli/build/.tsbuildinfo"];
  const manifests = ["pnpm-lock.yaml", ...names.map((name) => `packages/${name}/package.json`)];
  const inputs = [...compiled, ...manifests, "scripts/bundle.js"].map((path) => join(root, path));
  const written = await Promise.all(names.map((name) => timeOf(noticesOf(name)).catch(() => 0)));
  return Math.min(...written) > Math.max(...(await Promise.all(inputs.map(timeOf))));
}

if (!(await areUpToDate(["core", "cli"]))) {
  // All that every program loads is in one file. Few configs need the library for YAML.
  const yaml = { name: "yaml", test: /node_modules[\\/]yaml[\\/]/, priority: 1 };
  const core = { name: "core", test: (id) => initial.has(id), priority: 1 };
  // Each is a subpath of the package, so that nobody loads a use case that he does not call.
  const useCases = (await readdir(join(folderOf("core"), "src", "commands")))
    .filter((file) => /^[a-z-]+\.ts$/.test(file))
    .map((file) => `commands/${basename(file, ".ts")}`);
  // What the worker of the user's modules runs. It needs little of core, and CommonJS starts faster.
  const worker = join(folderOf("core"), "build", "module-worker", "module-worker.js");
  await bundle(
    "core",
    ["index", "program", ...useCases],
    [core, yaml],
    [
      { entry: ajvEntry, file: "ajv.cjs" },
      { entry: worker, file: "module-worker.cjs" },
    ],
  );
  // The tests call `main` of the bundle in an environment that they make.
  const bin = join(folderOf("cli"), "build", "bin.js");
  await bundle("cli", ["start", "main", "environment"], [], [{ entry: bin, file: "bin.cjs" }]);
}
