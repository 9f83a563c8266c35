import { resolve } from "node:path";
import process from "node:process";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * What a caller of the library left out: the environment and the working folder of the process. Public functions call
 * this once; nothing below them reads the process.
 */
export function processDefaults({ env = process.env, cwd = "." }: { env?: Env; cwd?: string }): {
  env: Env;
  cwd: string;
} {
  return { env, cwd: resolve(cwd) };
}
