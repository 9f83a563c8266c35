import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Plugin } from "vitest/config";
import { isCompiled } from "../../scripts/compiled-package.js";

/**
 * Gives unit tests the modules that tsc has compiled, which Node loads as they are. Vite would transform a thousand
 * modules for that, and its code runs slower, since it reads each import from an object. If a source has
 * changed since, everything comes from the sources: modules of both kinds would not know each other.
 */
export function compiledSources(): Plugin {
  let areCompiled = false;
  const known = new Map<string, string | null>();
  return {
    name: "compiled-sources",
    enforce: "pre",
    configResolved() {
      areCompiled = ["core", "cli", "server"].every(isCompiled);
    },
    resolveId(specifier, importer) {
      if (!areCompiled || importer === undefined || !/^\.{1,2}\/.*\.js$/.test(specifier)) return null;
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
