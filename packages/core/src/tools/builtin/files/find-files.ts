import path from "node:path";
import { failure, success, type Result } from "../../../result.js";
import type { Workspace } from "../../../workspace/workspace.js";

/**
 * The files of a folder of the workspace that a glob selects, relative to the root, sorted. Links are not followed. Fails
 * with what the model should write instead.
 */
export async function findFiles(
  { boundary, root }: Workspace,
  pattern: string,
  folder: string,
  dot: boolean,
): Promise<Result<readonly string[], string>> {
  const located = await boundary.locate(folder);
  if (!located.success) return failure(located.error.message);
  if (located.data.stats?.isDirectory() !== true) return failure(`Folder "${folder}" not found`);
  const leaves = path.isAbsolute(pattern) || pattern.split(/[/\\]/).includes("..");
  if (leaves) return failure(`Pattern "${pattern}" must be relative and must not contain ..`);
  const { glob } = await import("tinyglobby");
  const cwd = located.data.absolute;
  const found = await glob(pattern, { cwd, dot, followSymbolicLinks: false, expandDirectories: false });
  const prefix = path.relative(root, cwd).split(path.sep).join("/");
  return success(found.map((file) => (prefix === "" ? file : `${prefix}/${file}`)).toSorted());
}
