import path from "node:path";
import { kindlmError } from "../errors/kindlm-error.js";
import type { KindlmConfig } from "../generated/config-types.js";
import { failure, success, type Result } from "../result.js";
import { findConfigFiles, type UnreadableFolder } from "./find-config-files.js";
import { brokenFile } from "./isolate-broken.js";
import type { ProjectPlace } from "./locate-root.js";
import { mapInSequence } from "./map-in-sequence.js";
import { findingOn, Findings } from "./source/finding.js";
import type { SourceFiles } from "./source/source-files.js";
import type { YamlDocument } from "./source/yaml-document.js";
import type { LoadedSuite } from "./suite/load-suites.js";
import { isPlainObject } from "../values/json.js";
import { report } from "./source/section.js";
import { deepest, locate, noneMerged, type Path, type Written, type WrittenEntry } from "./source/written.js";

const mostRepeated = 1_000_000;

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
  // Also where there is no config yet, or no more.
  for (const written of paths.length === 0 ? ["kindlm.yaml"] : paths) {
    files.note(path.resolve(cwd, written), /\.ya?ml$/.test(written) ? "file" : "below");
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

interface Problem {
  path: Path;
  message: string;
  hint?: string;
}

/**
 * A config that is written as an object, as the document that a file with the same values would be. Its relative paths
 * start from `folder`. Values that a file cannot hold are reported. The object is copied: what the caller does to it
 * later has no effect on the run.
 */
function documentOfObject(config: unknown, folder: string, findings: Findings): Result<YamlDocument, null> {
  const reader = new ObjectReader();
  const written = reader.read(config, []);
  const text = JSON.stringify(written.value) ?? "";
  const source = { path: path.join(folder, "config"), file: "config", text, order: 0, isObject: true as const };
  const document: YamlDocument = {
    source,
    value: written.value,
    locate: (at, atKey) => locate(written, at, atKey),
  };
  if (reader.problems.length === 0) return success(document);
  report({ document, base: [], value: written.value, findings }, ...reader.problems);
  return failure(null);
}

/** Copies plain values and numbers them in their order, which is where a finding about one is listed. */
class ObjectReader {
  readonly problems: Problem[] = [];
  readonly #ancestors = new Set<object>();
  readonly #seen = new Set<object>();
  #next = 0;
  /** How many values were read below an object that was read before. */
  #repeated = 0;

  read(value: unknown, at: Path, isRepeated = false): Written {
    const start = (this.#next += 1);
    if (isRepeated) this.#repeated += 1;
    const place = { start, end: start + 1 };
    if (typeof value !== "object" || value === null) return { value: this.#scalar(value, at), ...place, parts: null };
    const problem = this.#unfit(value, at);
    if (problem !== null) {
      this.problems.push({ path: at, ...problem });
      return { value: null, ...place, parts: null };
    }
    const wasSeen = isRepeated || this.#seen.has(value);
    this.#seen.add(value);
    this.#ancestors.add(value);
    const read = Array.isArray(value) ? this.#list(value, at, wasSeen) : this.#mapping(value, at, wasSeen);
    this.#ancestors.delete(value);
    return { ...read, ...place };
  }

  #list(list: readonly unknown[], at: Path, isRepeated: boolean): Pick<Written, "value" | "parts"> {
    const items = Array.from(list, (item, index) => this.read(item, [...at, index], isRepeated));
    return { value: items.map(({ value }) => value), parts: { items } };
  }

  #mapping(mapping: object, at: Path, isRepeated: boolean): Pick<Written, "value" | "parts"> {
    const entries: WrittenEntry[] = [];
    for (const [name, value] of Object.entries(mapping)) {
      // As if the key were not there: programs leave out what they do not know.
      if (value === undefined) continue;
      const start = (this.#next += 1);
      entries.push({ name, start, end: start + 1, item: this.read(value, [...at, name], isRepeated) });
    }
    const value = Object.fromEntries(entries.map(({ name, item }) => [name, item.value]));
    return { value, parts: { entries, merged: noneMerged } };
  }

  #scalar(value: unknown, at: Path): unknown {
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value !== "number") {
      const what = value === undefined ? "undefined in a list" : `a ${typeof value}`;
      const problem = { path: at, message: `A config cannot hold ${what}` };
      const hint = 'Put it into a module and name that, such as "./tools.ts#lookup"';
      this.problems.push(typeof value === "function" ? { ...problem, hint } : problem);
      return null;
    }
    if (!Number.isFinite(value)) {
      this.problems.push({ path: at, message: `${value} is not a number that JSON can carry` });
    } else if (!Number.isSafeInteger(value) && /^-?\d+$/.test(String(value))) {
      this.problems.push({
        path: at,
        message: `${value} has more digits than a number can hold`,
        hint: 'Use a string to keep every digit; in a matcher, write { $integer: "…" }',
      });
    }
    return value;
  }

  #unfit(value: object, at: Path): Omit<Problem, "path"> | null {
    if (!Array.isArray(value) && !isPlainObject(value)) {
      const { name } = value.constructor;
      return { message: `A config cannot hold an object of the class ${name}`, hint: "Use plain objects and lists" };
    }
    if (this.#ancestors.has(value)) return { message: "An object of the config contains itself" };
    if (at.length > deepest) return { message: `Nested deeper than ${deepest} levels` };
    if (this.#repeated > mostRepeated) return { message: "The same objects are repeated too often in the config" };
    return null;
  }
}
