import path from "node:path";
import { kindlmError } from "../errors/kindlm-error.js";
import type { KindlmConfig } from "../generated/config-types.js";
import { failure, success, type Result } from "../result.js";
import { findConfigFiles, type UnreadableFolder } from "./find-config-files.js";
import { brokenFile } from "./isolate-broken.js";
import type { ProjectPlace } from "./locate-root.js";
import { mapInSequence } from "./map-in-sequence.js";
import { documentOfObject } from "./source/config-object.js";
import { findingOn, Findings } from "./source/finding.js";
import type { SourceFiles } from "./source/source-files.js";
import type { YamlDocument } from "./source/yaml-document.js";
import type { LoadedSuite } from "./suite/load-suites.js";

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
  cwd: string,
  files: SourceFiles,
): Promise<Result<ReadConfigs>> {
  if (config !== undefined) {
    if (paths.length > 0) {
      const message = '"config" and "paths" cannot be combined';
      return failure(kindlmError("CONFIG_VALIDATION_ERROR", message));
    }
    return success({ read: [readObject(config, cwd)], folders: [cwd], shown: [], unreadable: [] });
  }
  const found = await findConfigFiles(paths, cwd);
  if (!found.success) return found;
  const { files: absolute, unreadable } = found.data;
  return success({
    read: await mapInSequence(absolute, (file, order) => readConfig(file, order, files)),
    folders: absolute.map((file) => path.dirname(file)),
    shown: absolute.map((file) => files.shown(file)),
    unreadable,
  });
}

function readObject(config: KindlmConfig, cwd: string): ReadConfig {
  const findings = new Findings();
  const document = documentOfObject(config, cwd, findings);
  return document.success ? { document: document.data } : { broken: brokenFile("config", findings) };
}

async function readConfig(file: string, order: number, files: SourceFiles): Promise<ReadConfig> {
  const read = await files.yaml(file);
  if (read.success) return { document: read.data };
  const shown = files.shown(file);
  const findings = new Findings();
  if ("reason" in read.error) {
    findings.add(findingOn(shown, order, { code: "CONFIG_PARSE_ERROR", message: `${shown} ${read.error.reason}` }));
  } else findings.add(...read.error);
  return { broken: brokenFile(shown, findings) };
}
