import { messageOf } from "@kindlm/core/program";
import { lstat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { CliEnvironment } from "../environment.js";
import { UsageError } from "../errors/usage-error.js";

/**
 * Creates files, given by their paths below a folder of the working folder, and gives a line for each. Throws a UsageError,
 * before anything is written, if one of them exists; `fix` says what to do then.
 */
export async function createFiles(
  dir: string,
  texts: Readonly<Record<string, string>>,
  fix: string,
  environment: CliEnvironment,
): Promise<string> {
  const root = resolve(environment.cwd, dir);
  const names = Object.keys(texts);
  const found = await Promise.all(names.map((name) => exists(join(root, name))));
  const taken = names.filter((_, index) => found[index]).map((name) => join(dir, name));
  if (taken.length > 0) {
    throw new UsageError(`Nothing was written, because these files exist: ${taken.join(", ")}`, fix);
  }
  const lines = Object.entries(texts).map(([name, text]) => create(join(root, name), text, fix, environment));
  return (await Promise.all(lines)).join("");
}

async function create(path: string, text: string, fix: string, { files, cwd }: CliEnvironment): Promise<string> {
  const shown = relative(cwd, path);
  // What appeared in the meantime is not overwritten either.
  await files.create(path, text).catch((cause: unknown) => {
    throw new UsageError(`Cannot write ${shown}: ${messageOf(cause)}`, fix);
  });
  return `wrote ${shown}\n`;
}

export async function createIfMissing(
  path: string,
  text: string,
  fix: string,
  environment: CliEnvironment,
): Promise<string> {
  return (await exists(path)) ? `kept ${relative(environment.cwd, path)}\n` : create(path, text, fix, environment);
}

/** A dangling link counts: writing through it would make a file elsewhere. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
