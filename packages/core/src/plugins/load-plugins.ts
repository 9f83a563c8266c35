import type { ResolvedPlugin } from "../config/resolved-plugin.js";
import { errorOf, type Finding } from "../config/source/finding.js";
import { moduleFailure, type ModuleFailure } from "../modules/module-failure.js";
import { failure, success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import { renderDuration } from "../values/duration.js";
import type { LoadPlugin } from "./create-plugin-loader.js";
import type { LoadedPlugin } from "./loaded-plugin.js";
import { raceHook } from "./race-hook.js";

/** A plugin with its entry in the config. */
export interface ConfiguredPlugin {
  plugin: LoadedPlugin;
  entry: ResolvedPlugin;
}

export interface PluginLoading {
  loadPlugin: LoadPlugin;
  clock: Clock;
  /** Aborts when the user interrupts. */
  signal: AbortSignal;
}

/** Longer than the slowest of modules takes. */
const loadingMs = 60_000;
const givenUp = { timeout: `was not loaded within ${renderDuration(loadingMs)}`, abort: "was not loaded in time" };

/** Loads the plugins of a config. The error says of each that cannot be used why, at its place. */
export async function loadPlugins(
  entries: readonly ResolvedPlugin[],
  { loadPlugin, clock, signal }: PluginLoading,
): Promise<Result<readonly ConfiguredPlugin[]>> {
  const plugins: ConfiguredPlugin[] = [];
  const findings: Finding[] = [];
  for (const entry of entries) {
    // The modules are loaded in the order of the config.
    const raced = await raceHook((own) => loadPlugin(entry, own), { clock, signal, timeoutMs: loadingMs });
    const loaded = raced.done ? raced.value : moduleFailure("swept", givenUp[raced.because]);
    if (loaded.success) plugins.push({ plugin: loaded.data, entry });
    else findings.push(findingOf(entry, loaded.error));
  }
  return findings.length > 0 ? failure(errorOf(findings)) : success(plugins);
}

function findingOf(entry: ResolvedPlugin, { how, message }: ModuleFailure): Finding {
  const start = `Plugin "${entry.written}"`;
  if (how !== "unfit") return entry.findingOf({ message: `${start}${how === "missing" ? ":" : ""} ${message}` });
  return entry.findingOf({
    message: `${start}: the export "${entry.exportName}" ${message}`,
    hint: "Create it with definePlugin of @kindlm/core",
  });
}
