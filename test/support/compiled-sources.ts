import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Plugin } from "vitest/config";

const repository = resolve(import.meta.dirname, "..", "..");

/** Each package, and the file that tsc writes whenever it has compiled it. */
const packages = Object.entries({ core: "dist", cli: "build", server: "build" }).map(([name, folder]) => ({
  sources: join(repository, "packages", name, "src"),
  compiled: join(repository, "packages", name, folder, ".tsbuildinfo"),
}));

/**
 * Gives unit tests the modules that tsc has compiled, which Node loads as they are. Vite would transform a thousand
 * modules for that, and its code runs slower, since it reads each import from an object. If a source has
 * changed since, everything comes from the sources: modules of both kinds would not know each other.
 */
export function compiledSources(): Plugin {
  let isCompiled = false;
  const known = new Map<string, string | null>();
  return {
    name: "compiled-sources",
    enforce: "pre",
    configResolved() {
      isCompiled = packages.every(isUpToDate);
    },
    resolveId(specifier, importer) {
      if (!isCompiled || importer === undefined || !/^\.{1,2}\/.*\.js$/.test(specifier)) return null;
      const path = resolve(dirname(importer), specifier);
      const found = known.get(path) ?? compiledModule(path);
      known.set(path, found);
      return found;
    },
  };
}

/**
 * Null for what tsc does not compile into a package, such as tests and fixtures. The viewer imports sources of core by
 * their paths, which only its bundler follows.
 */
function compiledModule(path: string): string | null {
  const compiled = path.replace(/(\/packages\/(?:core|cli|server))\/src\//, "$1/build/");
  return compiled !== path && existsSync(compiled) ? compiled : null;
}

function isUpToDate({ sources, compiled }: { sources: string; compiled: string }): boolean {
  if (!existsSync(compiled)) return false;
  const { mtimeMs } = statSync(compiled);
  // Tests and fixtures are not compiled, so the compiler leaves its file as it is after a change of them.
  return readdirSync(sources, { recursive: true, encoding: "utf8" }).every(
    (file) =>
      !/(?<!\.test)\.tsx?$/.test(file) ||
      file.includes("__fixtures__") ||
      statSync(join(sources, file)).mtimeMs <= mtimeMs,
  );
}
