import path from "node:path";
import type { Plugin } from "vitest/config";
import type { TestModule, Vitest } from "vitest/node";
import type { KindlmMeta } from "./describe-kindlm.js";

/**
 * A plugin for `vitest.config.ts`: in watch mode, a test file with `describeKindlm` runs again when its config changes, or a
 * file that the config names, such as a dataset or a prompt.
 */
export function kindlm(): Plugin {
  let vitest: Vitest | null = null;
  const testsToRun = (file: string): string[] | null => {
    const own = (vitest?.state.getTestModules() ?? []).filter((module) => dependsOn(module, file));
    if (vitest === null || own.length === 0) return null;
    // What a trigger selects replaces what Vitest would select.
    return [...new Set([...own.map(({ moduleId }) => moduleId), ...importersOf(vitest, file)])];
  };
  return {
    name: "kindlm",
    config: () => ({ test: { watchTriggerPatterns: [{ pattern: /./, testsToRun }] } }),
    configureVitest(context) {
      ({ vitest } = context);
    },
  };
}

function dependsOn({ children }: TestModule, file: string): boolean {
  for (const test of children.allTests()) {
    const meta: KindlmMeta | undefined = test.meta().kindlm;
    const places = meta?.places ?? [];
    if (places.some(([place, kind]) => (kind === "file" ? path.normalize(file) === place : isBelow(place, file))))
      return true;
  }
  return false;
}

function isBelow(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return (
    relative !== "" &&
    !/^\.\.(?:$|[\\/])|^\.kindlm[\\/]|[\\/]node_modules[\\/]/.test(relative) &&
    !path.isAbsolute(relative)
  );
}

/** The test files that import a file, also through others. */
function importersOf({ projects, state }: Vitest, file: string): readonly string[] {
  const tests = new Set<string>();
  for (const { vite } of projects) {
    const open = [...(vite.moduleGraph.getModulesByFile(file) ?? [])];
    const seen = new Set(open);
    for (let module = open.pop(); module !== undefined; module = open.pop()) {
      if (module.file !== null && state.filesMap.has(module.file)) tests.add(module.file);
      for (const importer of module.importers) {
        if (!seen.has(importer)) open.push(importer);
        seen.add(importer);
      }
    }
  }
  return [...tests];
}
