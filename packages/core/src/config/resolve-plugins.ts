import { isDeepStrictEqual } from "node:util";
import { parseModuleSpecifier } from "../tools/module/module-tool-schema.js";
import { renderDuration } from "../values/duration.js";
import { findReference, type FileAccess } from "./file-references.js";
import type { ResolvedPlugin } from "./resolved-plugin.js";
import type { WrittenPlugin } from "./schema/plugin-schema.js";
import { findingIn, report, type Section } from "./source/section.js";
import type { Path } from "./source/written.js";
import { expandSettings } from "./suite/expand-settings.js";
import type { SuiteScope } from "./suite/suite-scope.js";

const builtinTimeoutMs = 5_000;

type Scope = Pick<SuiteScope, "env" | "secretNames"> & {
  access: FileAccess;
  /** Deadline of a trial where nothing nearer sets one. */
  trialMs: number;
};

/** `plugins:` of a config with paths and environment filled in. `section` is the config; what is wrong is reported. */
export async function resolvePlugins(
  section: Section,
  written: readonly WrittenPlugin[] | undefined,
  scope: Scope,
): Promise<readonly ResolvedPlugin[]> {
  const plugins: ResolvedPlugin[] = [];
  for (const [index, entry] of (written ?? []).entries()) {
    const plugin = await resolvePlugin(section, index, entry, scope);
    if (plugin === null) continue;
    if (plugins.some((other) => isSamePlugin(other, plugin))) {
      const message = `The plugin "${plugin.written}" is listed twice, with the same options`;
      report(section, { path: ["plugins", index], message, hint: "Remove one of them" });
    }
    plugins.push(plugin);
  }
  return plugins;
}

/** The plugins of several files; what two of them name alike is one plugin. */
export function mergePlugins(files: readonly (readonly ResolvedPlugin[])[]): readonly ResolvedPlugin[] {
  const merged: ResolvedPlugin[] = [];
  for (const plugin of files.flat()) {
    if (!merged.some((other) => isSamePlugin(other, plugin))) merged.push(plugin);
  }
  return merged;
}

async function resolvePlugin(
  section: Section,
  index: number,
  entry: WrittenPlugin,
  scope: Scope,
): Promise<ResolvedPlugin | null> {
  const isShort = typeof entry === "string";
  const settings = isShort ? { module: entry, with: null, timeout: undefined } : entry;
  const at: Path = ["plugins", index];
  const path: Path = isShort ? at : [...at, "module"];
  const { file, exportName } = parseModuleSpecifier(settings.module);
  const reference = { section, path, written: file, label: `Plugin "${file}"` };
  const found = await findReference(reference, scope.access);
  if (!found.success) {
    section.findings.add(found.error);
    return null;
  }
  const options =
    settings.with === undefined || settings.with === null ? null : expand(section, at, settings.with, scope);
  const timeoutMs = settings.timeout ?? builtinTimeoutMs;
  if (timeoutMs >= scope.trialMs) {
    report(section, {
      path: isShort || settings.timeout === undefined ? at : [...at, "timeout"],
      severity: "warning",
      message: `A hanging hook would take ${renderDuration(timeoutMs)}, but a trial has only ${renderDuration(scope.trialMs)}`,
      hint: "Set a shorter timeout for the plugin",
    });
  }
  return {
    written: settings.module,
    file: found.data,
    exportName,
    options,
    timeoutMs,
    findingOf: (text) => findingIn(section, { ...text, path }),
  };
}

function expand(section: Section, at: Path, options: unknown, scope: Scope): unknown {
  return expandSettings(section, at, { with: options }, scope).with;
}

function isSamePlugin(a: ResolvedPlugin, b: ResolvedPlugin): boolean {
  return a.file === b.file && a.exportName === b.exportName && isDeepStrictEqual(a.options, b.options);
}
