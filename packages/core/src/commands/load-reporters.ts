import type { ProjectPlace } from "../config/locate-root.js";
import { createModuleReporter } from "../reporters/create-module-reporter.js";
import type { ReporterDefinition } from "../reporters/define-reporter.js";
import { success, type Result, failure } from "../result.js";
import { completeEnvironment, type Environment } from "../run/environment.js";
import path from "node:path";
import type { RegisteredReporter } from "../extensions/registered.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { isRecord } from "../values/json.js";
import type { ConfigEnvironment } from "../config/config-environment.js";
import { accessOf } from "../config/file-references.js";
import { loadExtensions, type ExtensionWorld } from "../config/load-extensions.js";
import { readConfigs } from "../config/read-configs.js";
import { errorOf, Findings } from "../config/source/finding.js";
import type { Section } from "../config/source/section.js";
import { SourceFiles } from "../config/source/source-files.js";

/**
 * The reporters that the modules in `extensions:` of a config register, for `renderToString` and all else that takes a
 * reporter. Each renders in its own worker. Fails if a config or a module cannot be used.
 */
export async function loadReporters(
  place: ProjectPlace,
  environment: Environment = {},
): Promise<Result<readonly ReporterDefinition[]>> {
  const world = completeEnvironment(environment);
  // The report of an interrupted run is still wanted.
  const { signal } = new AbortController();
  const registered = await loadRegisteredReporters(place, { ...world, signal });
  if (!registered.success) return registered;
  return success([...registered.data.values()].map((reporter) => createModuleReporter(reporter, world)));
}

/**
 * The reporters that configs register, by their names. Reads nothing of the configs but `extensions:`. Fails if a config
 * is missing, and with the problems of its modules.
 */
async function loadRegisteredReporters(
  place: ProjectPlace,
  world: ConfigEnvironment & ExtensionWorld,
): Promise<Result<ReadonlyMap<string, RegisteredReporter>>> {
  const files = new SourceFiles(world.cwd, world.expectLargeConfig);
  const found = await readConfigs(place, world, files);
  if (!found.success) return found;
  const root = place.root === undefined ? null : path.resolve(world.cwd, place.root);
  const findings = new Findings();
  const reporters = new Map<string, RegisteredReporter>();
  for (const file of found.data.read) {
    const config = "document" in file ? file.document.value : null;
    if (!("document" in file) || !isRecord(config)) continue;
    const { extensions, allow_outside: isFree } = config;
    const written = Array.isArray(extensions) ? extensions.filter((one) => typeof one === "string") : [];
    const section: Section = { document: file.document, base: [], value: config, findings };
    const access = accessOf(file.document, { files, root, isFree: isFree === true });
    for (const [name, reporter] of (await loadExtensions(section, written, access, world)).reporters) {
      const known = reporters.get(name);
      if (known !== undefined && known.file !== reporter.file) {
        const message = `Two configs register a reporter "${name}": ${known.file} and ${reporter.file}`;
        return failure(kindlmError("CONFIG_VALIDATION_ERROR", message));
      }
      reporters.set(name, reporter);
    }
  }
  return findings.hasErrors ? failure(errorOf(findings.all)) : success(reporters);
}
