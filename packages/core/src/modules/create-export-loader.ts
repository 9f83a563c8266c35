import { createRequire } from "node:module";
import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { attempt, attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { failure, success, type Result } from "../result.js";
import { isRecord } from "../values/json.js";
import { nearestName } from "../values/nearest-name.js";
import { importModule, type ImportModule } from "./import-module.js";

/** Loads the export `name` of a module, once per path. `file` is absolute. The error is an UNKNOWN_ERROR that the caller rewords. */
export type LoadExport = (file: string, name: string) => Promise<Result<unknown>>;

const typeScript = new Set([".ts", ".mts", ".cts"]);
const installJiti = "npm install --save-dev jiti";

/**
 * Loads exports of a user's modules, each module once. TypeScript goes through jiti where that is installed, else
 * through Node.js itself, which strips types in its newer versions.
 */
export function createExportLoader(
  importUsers: ImportModule = importModule,
  locate: (file: string) => string = locateJiti,
): LoadExport {
  const modules = new Map<string, Promise<Result<unknown>>>();
  const loadOnce = (file: string): Promise<Result<unknown>> => {
    const known = modules.get(file);
    if (known) return known;
    const loading = typeScript.has(extname(file))
      ? loadTypeScript(file, importUsers, locate(file))
      : attempt(
          () => importUsers(pathToFileURL(file).href),
          (cause) => loadError(file, cause),
        );
    modules.set(file, loading);
    return loading;
  };
  return async (file, name) => {
    const loaded = await loadOnce(file);
    return loaded.success ? exportOf(loaded.data, file, name) : loaded;
  };
}

async function loadTypeScript(
  file: string,
  importUsers: ImportModule,
  jitiSpecifier: string,
): Promise<Result<unknown>> {
  const jiti = await attempt(
    () => importUsers(jitiSpecifier),
    (cause) => loadError("jiti", cause),
  );
  const create: unknown = jiti.success && isNamespace(jiti.data) ? jiti.data["createJiti"] : undefined;
  if (isCreateJiti(create)) {
    return attempt(
      // Without a cache on disk nothing of the user's code is left behind.
      () => create(pathToFileURL(file).href, { fsCache: false }).import(file),
      (cause) => loadError(file, cause),
    );
  }
  return attempt(
    () => importUsers(pathToFileURL(file).href),
    (cause) => {
      if (!needsLoader(cause)) return loadError(file, cause);
      const message = `${file} is TypeScript, which this Node.js does not load by itself. Run: ${installJiti}`;
      return kindlmError("UNKNOWN_ERROR", message, { cause });
    },
  );
}

/** The jiti of the user's project, else the one next to KindLM, which may be installed elsewhere. */
function locateJiti(file: string): string {
  const nearby = attemptSync(
    () => pathToFileURL(createRequire(file).resolve("jiti")).href,
    () => "jiti",
  );
  return nearby.success ? nearby.data : nearby.error;
}

/** The part of jiti 2 that is used here. */
type CreateJiti = (id: string, options: { fsCache: boolean }) => { import(id: string): Promise<unknown> };

function isCreateJiti(value: unknown): value is CreateJiti {
  return typeof value === "function";
}

function needsLoader(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return code === "ERR_UNKNOWN_FILE_EXTENSION" || code.includes("TYPESCRIPT") || code.includes("TYPE_STRIPPING");
}

function loadError(file: string, cause: unknown): KindlmError {
  return kindlmError("UNKNOWN_ERROR", `${file} cannot be loaded: ${messageOf(cause)}`, { cause });
}

/** Names the module itself, in place of one of its exports. */
export const wholeModule = "*";

function exportOf(loaded: unknown, file: string, name: string): Result<unknown> {
  if (name === wholeModule) return success(loaded);
  if (isNamespace(loaded)) {
    if (loaded[name] !== undefined) return success(loaded[name]);
    // A CommonJS module has its exports as the properties of its default export.
    const whole = loaded["default"];
    if (isNamespace(whole) && whole[name] !== undefined) return success(whole[name]);
  }
  const names = isNamespace(loaded) ? Object.keys(loaded) : [];
  const nearest = nearestName(name, names);
  const known = nearest === null ? `It exports ${names.join(", ") || "nothing"}` : `Did you mean "${nearest}"?`;
  return failure(kindlmError("UNKNOWN_ERROR", `${file} has no export "${name}". ${known}`));
}

/** Functions can carry exports too: `module.exports = f; f.name = g`. */
function isNamespace(value: unknown): value is Record<string, unknown> {
  return isRecord(value) || typeof value === "function";
}
