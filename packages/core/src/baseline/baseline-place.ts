import path from "node:path";
import { safeName } from "../files/safe-name.js";

/** The file of a baseline: where it is, and how people know it. */
export interface BaselinePlace {
  suite: string;
  /** Absolute. */
  path: string;
  /** Relative to the folder that contains `.kindlm`. */
  shown: string;
}

const folder = path.join(".kindlm", "baselines");

export function baselinesFolder(root: string): string {
  return path.join(root, folder);
}

/** `suite` has passed the redactor. `root`: the folder that contains `.kindlm`. */
export function baselinePlace(root: string, suite: string): BaselinePlace {
  return placeOfFile(root, suite, `${safeName(suite)}.json`);
}

export function placeOfFile(root: string, suite: string, file: string): BaselinePlace {
  return { suite, path: path.join(root, folder, file), shown: path.join(folder, file) };
}
