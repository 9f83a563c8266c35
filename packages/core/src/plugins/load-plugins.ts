import type { ResolvedPlugin } from "../config/resolved-plugin.js";
import { errorOf, type Finding } from "../config/source/finding.js";
import type { LoadExport } from "../modules/create-export-loader.js";
import { failure, success, type Result } from "../result.js";
import { pluginOf, type LoadedPlugin } from "./plugin-of.js";

/** A plug-in with its entry in the config. */
export interface ConfiguredPlugin {
  plugin: LoadedPlugin;
  entry: ResolvedPlugin;
}

/** Loads the plug-ins of a config. The error says of each that can not be used why, at its place. */
export async function loadPlugins(
  entries: readonly ResolvedPlugin[],
  loadExport: LoadExport,
): Promise<Result<readonly ConfiguredPlugin[]>> {
  const plugins: ConfiguredPlugin[] = [];
  const findings: Finding[] = [];
  for (const entry of entries) {
    // oxlint-disable-next-line no-await-in-loop -- the modules are loaded in the order of the config
    const loaded = await loadExport(entry.file, entry.exportName);
    if (!loaded.success) {
      findings.push(entry.findingOf({ message: `Plug-in "${entry.written}": ${loaded.error.message}` }));
      continue;
    }
    const plugin = pluginOf(loaded.data);
    if (plugin.success) plugins.push({ plugin: plugin.data, entry });
    else {
      findings.push(
        entry.findingOf({
          message: `Plug-in "${entry.written}": the export "${entry.exportName}" ${plugin.error}`,
          hint: "Make it with definePlugin of @kindlm/core",
        }),
      );
    }
  }
  return findings.length > 0 ? failure(errorOf(findings)) : success(plugins);
}
