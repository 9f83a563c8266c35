import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { attempt, attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { failure, success, type Result } from "../result.js";
import { nearestName } from "../values/nearest-name.js";
import { mapInSequence } from "./map-in-sequence.js";
import { problemOf } from "./source/source-files.js";

/** The names that are looked for where none is named. */
export const defaultNames = ["yaml", "config.ts", "config.mts", "config.js", "config.mjs"].map(
  (end) => `kindlm.${end}`,
);
const ownName = /^(?:.+\.)?kindlm\.(?:ya?ml|config\.m?[jt]s)$/;

/** Whether a file is a module that exports its config, and not YAML. */
export function isConfigModule(file: string): boolean {
  return /\.[cm]?[jt]s$/.test(file);
}

/** Whether a name is that of a config file, and not of a folder or of data. */
export function isConfigName(name: string): boolean {
  return /\.ya?ml$/i.test(name) || isConfigModule(name);
}

/** A folder that may hold configs and does not show them. */
export interface UnreadableFolder {
  folder: string;
  /** Goes on a sentence that starts with the name of the folder. */
  reason: string;
}

export interface FoundConfigs {
  /** Absolute, each once. */
  files: readonly string[];
  unreadable: readonly UnreadableFolder[];
}

/**
 * The config files that the paths mean. A file is taken whatever its name. A folder means every `kindlm.yaml`,
 * `kindlm.config.ts` and `*.kindlm.yaml` in it and in the folders below, except `node_modules` and those that start with a
 * dot. No path means the nearest config, in the working folder or above; two next to each other are an error.
 */
export async function findConfigFiles(paths: readonly string[], cwd: string): Promise<Result<FoundConfigs>> {
  const nearest = paths.length === 0 ? findNearestConfig(cwd) : null;
  if (nearest !== null) {
    const others = defaultsIn(path.dirname(nearest)).filter((file) => file !== nearest);
    if (others.length > 0) return failure(ambiguous([nearest, ...others], cwd));
  }
  const wanted = paths.length === 0 ? [nearest ?? "kindlm.yaml"] : paths;
  const outcomes = await mapInSequence(wanted, (written) => filesOf(written, cwd, paths.length > 0));
  const found: FoundConfigs[] = [];
  for (const outcome of outcomes) {
    if (!outcome.success) return outcome;
    found.push(outcome.data);
  }
  const { files, unreadable } = joined(found);
  return success({ files: [...new Set(files)], unreadable });
}

/**
 * The nearest `kindlm.yaml` or `kindlm.config.ts` from a folder upwards, as far as the repository that the folder is in; null if there is none.
 * Absolute.
 */
export function findNearestConfig(folder: string): string | null {
  const [file] = defaultsIn(folder);
  if (file !== undefined) return file;
  const above = path.dirname(folder);
  const isTop = above === folder || kindOf(path.join(folder, ".git")) !== "none";
  return isTop ? null : findNearestConfig(above);
}

function defaultsIn(folder: string): readonly string[] {
  return defaultNames.map((name) => path.join(folder, name)).filter((file) => kindOf(file) === "file");
}

/** Nobody knows which of them is out of date. */
function ambiguous(files: readonly string[], cwd: string) {
  const shown = files.map((file) => path.relative(cwd, file));
  const message = `Found ${shown.join(" and ")}: several configs in one folder`;
  const hint = `Name the one to use, such as kindlm test ${shown[0]}, or all: kindlm test ${shown.join(" ")}`;
  const diagnostic = { code: "CONFIG_VALIDATION_ERROR" as const, severity: "error" as const, message, hint };
  return kindlmError("CONFIG_VALIDATION_ERROR", message, { details: { diagnostics: [diagnostic] } });
}

async function filesOf(written: string, cwd: string, isNamed: boolean): Promise<Result<FoundConfigs>> {
  const absolute = path.resolve(cwd, written);
  const kind = kindOf(absolute);
  if (kind === "file") return success({ files: [absolute], unreadable: [] });
  if (kind === "folder") {
    const inFolder = await configsBelow(absolute);
    const [first] = inFolder.unreadable;
    if (inFolder.files.length > 0) return success(inFolder);
    return failure(
      first === undefined
        ? notFound(`No kindlm.yaml, kindlm.config.ts, or *.kindlm.yaml in the folder ${written}`, written, null)
        : kindlmError("CONFIG_FILE_REF_ERROR", `The folder ${first.folder} ${first.reason}`, {
            details: { path: first.folder, diagnostics: [] },
          }),
    );
  }
  const message = isNamed ? `Config file not found: ${written}` : "No kindlm.yaml in this folder or above";
  return failure(notFound(message, written, await similarFile(absolute, written)));
}

function joined(parts: readonly FoundConfigs[]): FoundConfigs {
  return {
    files: parts.flatMap(({ files }) => files),
    unreadable: parts.flatMap(({ unreadable }) => unreadable),
  };
}

function notFound(message: string, written: string, similar: string | null) {
  return kindlmError("CONFIG_NOT_FOUND", message, {
    details: similar === null ? { path: written } : { path: written, similar },
  });
}

/** Mostly there is nothing: to find that out through the thread pool, with an error, takes twenty times as long. */
function kindOf(file: string): "file" | "folder" | "none" {
  const found = attemptSync(() => statSync(file, { throwIfNoEntry: false }), ioError);
  if (!found.success || found.data === undefined) return "none";
  return found.data.isDirectory() ? "folder" : "file";
}

async function configsBelow(folder: string): Promise<FoundConfigs> {
  const listed = await attempt(() => readdir(folder, { withFileTypes: true }), ioError);
  if (!listed.success) return { files: [], unreadable: [{ folder, reason: problemOf(listed.error.cause).reason }] };
  const entries = listed.data.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const found = entries
    .filter((entry) => !entry.isDirectory() && ownName.test(entry.name))
    .map((entry) => path.join(folder, entry.name));
  const folders = entries.filter(
    (entry) => entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith("."),
  );
  const below = await mapInSequence(folders, (entry) => configsBelow(path.join(folder, entry.name)));
  return joined([{ files: found, unreadable: [] }, ...below]);
}

/** A file next to the missing one that the user may have meant, as the user would type it. */
async function similarFile(absolute: string, written: string): Promise<string | null> {
  const folder = path.dirname(absolute);
  const listed = await attempt(() => readdir(folder), ioError);
  if (!listed.success) return null;
  const wanted = path.basename(absolute);
  const candidates = listed.data.filter((name) => /\.ya?ml(?:\.example)?$|^kindlm\..*\.m?[jt]s$/.test(name));
  const [extended] = candidates.filter((name) => name.startsWith(`${wanted.replace(/\.ya?ml$/, "")}.`)).toSorted();
  const name = extended ?? nearestName(wanted, candidates);
  return name === null || name === undefined ? null : path.join(path.dirname(written), name);
}

function ioError(cause: unknown) {
  return kindlmError("CONFIG_FILE_REF_ERROR", messageOf(cause), { cause });
}
