import { race } from "../assertions/module/race.js";
import { listExtensionsAction, type FoundExtension } from "../extensions/extension-action.js";
import { nothingRegistered, type Registered } from "../extensions/registered.js";
import { wholeModule } from "../modules/create-export-loader.js";
import type { UserModules } from "../modules/user-modules.js";
import { failure, type Result } from "../result.js";
import { targetKeys } from "../targets/registry.js";
import type { Clock } from "../values/clock.js";
import { renderDuration } from "../values/duration.js";
import { findReference, type FileAccess } from "./file-references.js";
import { callKeys } from "./schema/call-schema.js";
import { report, type Section } from "./source/section.js";

/** Longer than the slowest of modules takes. */
const loadingMs = 60_000;

/** What loading the modules of `extensions:` takes of the world. */
export interface ExtensionWorld {
  clock: Clock;
  signal: AbortSignal;
  /** The names of the program's own reporters. */
  reporterNames: readonly string[];
  /** A worker for this load alone: a run starts with one that no config has touched. */
  openModules(): UserModules;
}

/** What the modules of `extensions:` register. What is wrong with one is reported at its place. */
export async function loadExtensions(
  section: Section,
  written: readonly string[] | undefined,
  access: FileAccess,
  world: ExtensionWorld,
): Promise<Registered> {
  if (written === undefined || written.length === 0) return nothingRegistered;
  const { ExtensionRegistry } = await import("../extensions/register-extension.js");
  const registry = new ExtensionRegistry({
    providerKeys: new Set(["type", ...Object.keys(callKeys)]),
    targetKeys: new Set(["model", "with", "id", "proxy", ...targetKeys]),
    reporters: world.reporterNames,
  });
  const modules = world.openModules();
  for (const [index, module] of written.entries()) {
    const path = ["extensions", index];
    const tell = (what: string, hint?: string): void =>
      report(section, { path, message: `Extension "${module}": ${what}`, hint });
    const found = await findReference({ section, path, written: module, label: `Extension "${module}"` }, access);
    if (!found.success) {
      section.findings.add(found.error);
      continue;
    }
    const listed = await listIn(found.data, modules, world);
    if (!listed.success) {
      tell(listed.error);
      continue;
    }
    if (listed.data.length === 0) {
      tell(
        "it registers nothing",
        "Export what defineAssertion, defineProvider, defineTarget, or defineReporter returns",
      );
    }
    for (const one of listed.data) {
      const problem = registry.add(found.data, one);
      if (problem !== null) tell(`the export "${one.exportName}": ${problem}`);
    }
  }
  await modules.close();
  return registry;
}

async function listIn(
  file: string,
  modules: UserModules,
  world: ExtensionWorld,
): Promise<Result<readonly FoundExtension[], string>> {
  const place = { file, exportName: wholeModule, what: `extension ${file}`, isRepeatable: false };
  const raced = await race(
    (signal) => modules.call({ ...place, action: listExtensionsAction, input: null, signal }),
    { ...world, timeoutMs: loadingMs },
    () => false,
  );
  if (!raced.done) return failure(`it was not loaded within ${renderDuration(loadingMs)}`);
  return raced.value.success ? raced.value : failure(raced.value.error.message);
}
