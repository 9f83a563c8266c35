import { race } from "../assertions/module/race.js";
import { noneRegistered, type RegisteredAssertions } from "../assertions/registered-assertions.js";
import type { AssertionDefinition } from "../assertions/define-assertion.js";
import { listExtensionsAction } from "../extensions/extension-action.js";
import { registerAssertion } from "../extensions/register-assertion.js";
import { wholeModule } from "../modules/create-export-loader.js";
import type { UserModules } from "../modules/user-modules.js";
import type { Clock } from "../values/clock.js";
import { renderDuration } from "../values/duration.js";
import { findReference, type FileAccess } from "./file-references.js";
import { report, type Section } from "./source/section.js";

/** Longer than the slowest of modules takes. */
const loadingMs = 60_000;

/** What loading the modules of `extensions:` takes of the world. */
export interface ExtensionWorld {
  clock: Clock;
  signal: AbortSignal;
  /** A worker for this load alone: a run starts with one that no config has touched. */
  openModules(): UserModules;
}

/** What the modules of `extensions:` register. What is wrong with one is reported at its place. */
export async function loadExtensions(
  section: Section,
  written: readonly string[] | undefined,
  access: FileAccess,
  world: ExtensionWorld,
): Promise<RegisteredAssertions> {
  if (written === undefined || written.length === 0) return noneRegistered;
  const modules = world.openModules();
  const registered = new Map<string, AssertionDefinition>();
  for (const [index, module] of written.entries()) {
    const path = ["extensions", index];
    const tell = (what: string, hint?: string): void =>
      report(section, { path, message: `Extension "${module}": ${what}`, hint });
    const found = await findReference({ section, path, written: module, label: `Extension "${module}"` }, access);
    if (!found.success) {
      section.findings.add(found.error);
      continue;
    }
    const file = found.data;
    const place = { file, exportName: wholeModule, what: `extension ${file}`, isRepeatable: false };
    const raced = await race(
      (signal) => modules.call({ ...place, action: listExtensionsAction, input: null, signal }),
      { ...world, timeoutMs: loadingMs },
      () => false,
    );
    if (!raced.done) tell(`it was not loaded within ${renderDuration(loadingMs)}`);
    else if (!raced.value.success) tell(raced.value.error.message);
    else {
      const listed = raced.value.data;
      if (listed.length === 0)
        tell("it registers nothing", "Export an assertion made with defineAssertion of @kindlm/core");
      for (const one of listed) {
        const made = registerAssertion(file, one);
        if (!made.success) tell(`the export "${one.exportName}": ${made.error}`);
        else if (registered.has(made.data.type)) tell(`"${made.data.type}" is registered twice`);
        else registered.set(made.data.type, made.data);
      }
    }
  }
  await modules.close();
  return registered;
}
