import path from "node:path";
import { failure, success, type Result } from "../result.js";
import { findingOn, type Finding } from "./source/finding.js";
import type { SourceFiles } from "./source/source-files.js";

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * The environment with `.env` and `.env.local` of the given folders. The real environment wins over both, `.env.local`
 * over `.env`, and an earlier folder over a later one.
 */
export async function loadEnvFiles(
  folders: readonly string[],
  files: SourceFiles,
  env: Env,
): Promise<Result<Env, readonly Finding[]>> {
  const layers: Record<string, string>[] = [];
  for (const folder of new Set(folders)) {
    for (const name of [".env.local", ".env"]) {
      const file = path.join(folder, name);
      const read = await files.text(file);
      if (!read.success && read.error.kind === "missing") continue;
      if (!read.success) {
        const message = `${files.shown(file)} ${read.error.reason}`;
        return failure([findingOn(files.shown(file), 0, { code: "CONFIG_FILE_REF_ERROR", message })]);
      }
      const { parse } = await import("dotenv");
      layers.push(parse(read.data.text));
    }
  }
  if (layers.length === 0) return success(env);
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
  return success(Object.assign({}, ...layers.toReversed(), set));
}
