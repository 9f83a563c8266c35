import path from "node:path";
import type { KindlmConfig } from "../generated/config-types.js";
import { findConfigFiles } from "./find-config-files.js";

/** The project that is meant. Relative paths start from the working folder, those in a config object as well. */
export interface ProjectPlace {
  /** Config files or folders. Default: the nearest `kindlm.yaml` or `kindlm.config.ts`, in the working folder or above. */
  paths?: readonly string[];
  /** The config itself, instead of files. */
  config?: KindlmConfig;
  /** The folder that contains `.kindlm`. Default: that of the first config; for a config object, the working folder. */
  root?: string;
}

/** The folder of `.kindlm`, without reading a config: that of the first one. */
export async function locateRoot({ root, paths = [], config }: ProjectPlace, cwd: string): Promise<string> {
  if (root !== undefined) return path.resolve(cwd, root);
  if (config !== undefined) return cwd;
  const found = await findConfigFiles(paths, cwd);
  const [first] = found.success ? found.data.files : [];
  return first === undefined ? cwd : path.dirname(first);
}
