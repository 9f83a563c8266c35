import path from "node:path";
import { findConfigFiles } from "./config/find-config-files.js";
import type { RunTestsOptions } from "./run-options.js";

/** The folder that `.kindlm` stands in, without reading a config: that of the first one. */
export async function locateRoot(
  { root, paths }: Pick<RunTestsOptions, "root" | "paths">,
  cwd: string,
): Promise<string> {
  if (root !== undefined) return path.resolve(cwd, root);
  const found = await findConfigFiles(paths, cwd);
  const [first] = found.success ? found.data.files : [];
  return first === undefined ? cwd : path.dirname(first);
}
