import { accessSync, constants, readdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { attemptSync } from "../../packages/core/src/errors/boundary.js";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";

/** `PATH` without a program: folders that have it are replaced by folders of links to all other programs in them. */
export function pathWithout(name: string, searchPath = process.env["PATH"] ?? ""): string {
  return searchPath
    .split(path.delimiter)
    .map((folder) => (hasProgram(folder, name) ? linksTo(folder, name) : folder))
    .join(path.delimiter);
}

function linksTo(folder: string, left: string): string {
  const links = makeProject({});
  for (const name of readdirSync(folder)) {
    if (name !== left) symlinkSync(path.join(folder, name), path.join(links, name));
  }
  return links;
}

function hasProgram(folder: string, name: string): boolean {
  return attemptSync(
    () => accessSync(path.join(folder, name), constants.X_OK),
    () => null,
  ).success;
}
