import path from "node:path";
import { kindlmError } from "../errors/kindlm-error.js";
import type { KindlmConfig } from "../generated/config-types.js";
import { failure, success, type Result } from "../result.js";
import {
  defaultNames,
  findConfigFiles,
  isConfigModule,
  isConfigName,
  type UnreadableFolder,
} from "./find-config-files.js";
import { brokenFile } from "./isolate-broken.js";
import type { ProjectPlace } from "./locate-root.js";
import { mapInSequence } from "./map-in-sequence.js";
import type { ConfigModuleEnvironment } from "./module/load-config-module.js";
import { findingOn, Findings } from "./source/finding.js";
import type { SourceFiles } from "./source/source-files.js";
import type { YamlDocument } from "./source/yaml-document.js";
import type { LoadedSuite } from "./suite/load-suites.js";
import { report } from "./source/section.js";
import { readObject } from "./source/read-object.js";
import { locate } from "./source/written.js";

/** A config as it is written; or what stands for one that cannot be read. */
type ReadConfig = { document: YamlDocument } | { broken: LoadedSuite };

interface ReadConfigs {
  read: readonly ReadConfig[];
  /** Of each config. */
  folders: readonly string[];
  /** The files as the user would type them; a config object has none. */
  shown: readonly string[];
  unreadable: readonly UnreadableFolder[];
}

/** The configs that are meant. Fails if one is missing; one that cannot be read is a broken suite. */
export async function readConfigs(
  { paths = [], config }: ProjectPlace,
  environment: ConfigModuleEnvironment,
  files: SourceFiles,
): Promise<Result<ReadConfigs>> {
  const { cwd } = environment;
  if (config !== undefined) {
    if (paths.length > 0) {
      const message = '"config" and "paths" cannot be combined';
      return failure(kindlmError("CONFIG_VALIDATION_ERROR", message));
    }
    return success({ read: [readWritten(config, cwd)], folders: [cwd], shown: [], unreadable: [] });
  }
  // Also where there is no config yet, or no more.
  for (const written of paths.length === 0 ? defaultNames : paths) {
    files.note(path.resolve(cwd, written), isConfigName(written) ? "file" : "below");
  }
  const found = await findConfigFiles(paths, cwd);
  if (!found.success) return found;
  const { files: absolute, unreadable } = found.data;
  return success({
    read: await mapInSequence(absolute, (file, order) => readConfig(file, order, environment, files)),
    folders: absolute.map((file) => path.dirname(file)),
    shown: absolute.map((file) => files.shown(file)),
    unreadable,
  });
}

function readWritten(config: KindlmConfig, cwd: string): ReadConfig {
  const findings = new Findings();
  const document = documentOfObject(config, cwd, findings);
  return document.success ? { document: document.data } : { broken: brokenFile("config", findings) };
}

async function readConfig(
  file: string,
  order: number,
  environment: ConfigModuleEnvironment,
  files: SourceFiles,
): Promise<ReadConfig> {
  const read = isConfigModule(file) ? await readModule(file, environment, files) : await files.yaml(file);
  if (read.success) return { document: read.data };
  const shown = files.shown(file);
  const findings = new Findings();
  if ("reason" in read.error) {
    findings.add(findingOn(shown, order, { code: "CONFIG_PARSE_ERROR", message: `${shown} ${read.error.reason}` }));
  } else findings.add(...read.error);
  return { broken: brokenFile(shown, findings) };
}

async function readModule(file: string, environment: ConfigModuleEnvironment, files: SourceFiles) {
  const { loadConfigModule } = await import("./module/load-config-module.js");
  return loadConfigModule(file, files, environment);
}

/**
 * A config that is written as an object, as the document that a file with the same values would be. Its relative paths
 * start from `folder`. Values that a file cannot hold are reported. The object is copied: what the caller does to it
 * later has no effect on the run.
 */
function documentOfObject(config: unknown, folder: string, findings: Findings): Result<YamlDocument, null> {
  const { written, problems } = readObject(config);
  const text = JSON.stringify(written.value) ?? "";
  const source = { path: path.join(folder, "config"), file: "config", text, order: 0, isObject: true as const };
  const document: YamlDocument = {
    source,
    value: written.value,
    locate: (at, atKey) => locate(written, at, atKey),
  };
  if (problems.length === 0) return success(document);
  report({ document, base: [], value: written.value, findings }, ...problems);
  return failure(null);
}
