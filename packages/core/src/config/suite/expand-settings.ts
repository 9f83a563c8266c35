import path from "node:path";
import { expandEnv, reportMissing } from "../expand-env.js";
import { reportSecrets } from "../resolve-providers.js";
import type { Env } from "../load-env-files.js";
import { subsection, type Section } from "../source/section.js";
import type { Path } from "../source/written.js";

/** Keys whose values are likely to be secret when they come from the environment. */
const secretKeys = new Set(["headers", "env", "body", "with"]);

/** The variables of settings, and the names of those that are secret. */
export interface SettingsScope {
  env: Env;
  secretNames: Set<string>;
}

/**
 * Settings of a tool or server with `${NAME}` replaced by the environment. A variable that is not set and a key that is
 * written out are reported; what headers and the like took from the environment is kept out of every output.
 */
export function expandSettings<T extends Readonly<Record<string, unknown>>>(
  section: Section,
  at: Path,
  settings: T,
  scope: SettingsScope,
  write?: (text: string) => string,
): T {
  reportSecrets(subsection(section, at, settings));
  const expanded = expandEnv(settings, scope.env, write);
  for (const { name, path: place } of expanded.read) if (secretKeys.has(String(place[0]))) scope.secretNames.add(name);
  reportMissing(section, at, expanded);
  return expanded.value;
}

/** A program named by a relative path is relative to the config, not to the folder in which KindLM was started. */
export function programIn(
  folder: string,
  [program, ...args]: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  return [/^\.{1,2}[\\/]/.test(program) ? path.resolve(folder, program) : program, ...args];
}
