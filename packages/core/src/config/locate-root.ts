import path from "node:path";
import { findConfigFiles } from "./find-config-files.js";
import type { ConfigRequest } from "./load-config.js";

/** The folder that `.kindlm` stands in, without reading a config: that of the first one. */
export async function locateRoot({ root, paths }: Pick<ConfigRequest, "root" | "paths">, cwd: string): Promise<string> {
  if (root !== undefined) return path.resolve(cwd, root);
  const found = await findConfigFiles(paths, cwd);
  const [first] = found.success ? found.data.files : [];
  return first === undefined ? cwd : path.dirname(first);
}
