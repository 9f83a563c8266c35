import path from "node:path";
import { findConfigFiles } from "./find-config-files.js";

/** The project that is meant. */
export interface ProjectPlace {
  /** Config files or folders; none means `kindlm.yaml` in the working folder. `.kindlm` is next to the first. */
  paths: readonly string[];
  /** The folder of `.kindlm`, if it is not there. */
  root?: string;
}

/** The folder of `.kindlm`, without reading a config: that of the first one. */
export async function locateRoot({ root, paths }: ProjectPlace, cwd: string): Promise<string> {
  if (root !== undefined) return path.resolve(cwd, root);
  const found = await findConfigFiles(paths, cwd);
  const [first] = found.success ? found.data.files : [];
  return first === undefined ? cwd : path.dirname(first);
}
