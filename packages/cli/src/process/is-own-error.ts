import { fileURLToPath } from "node:url";

/** Libraries that work for KindLM alone, so that what goes wrong in them is its own fault. */
const ownLibraries = /[\\/]node_modules[\\/](undici|p-limit)[\\/]/;

/**
 * Whether an error that nobody caught comes from KindLM itself, by the topmost file of its stack. What a tool, a check
 * or a user's plugin leaves behind, such as a promise that nobody waits for, is not: no verdict depends on it.
 * `folders` are URLs of the folders that hold KindLM.
 */
export function isOwnError(cause: unknown, folders: readonly string[]): boolean {
  const stack = cause instanceof Error && typeof cause.stack === "string" ? cause.stack : "";
  const top = stack.split("\n").find((line) => /^\s+at .*[\\/]/.test(line) && !line.includes("node:"));
  if (top === undefined) return false;
  return ownLibraries.test(top) || folders.some((url) => top.includes(url) || top.includes(fileURLToPath(url)));
}
