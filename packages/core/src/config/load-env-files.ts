import path from "node:path";
import { mapInSequence } from "./map-in-sequence.js";
import { findingOn, type Finding } from "./source/finding.js";
import type { SourceFiles } from "./source/source-files.js";

export type Env = Readonly<Record<string, string | undefined>>;

export interface LoadedEnv {
  env: Env;
  /** The `.env` files that were read, as the user would type them. */
  files: readonly string[];
  /** What is wrong with those that cannot be read, by their folder. */
  problems: ReadonlyMap<string, readonly Finding[]>;
}

/**
 * The environment with `.env` and `.env.local` of the given folders. The real environment wins over both, `.env.local`
 * over `.env`, and an earlier folder over a later one.
 */
export async function loadEnvFiles(folders: readonly string[], files: SourceFiles, env: Env): Promise<LoadedEnv> {
  const paths = [...new Set(folders)].flatMap((folder) => [path.join(folder, ".env.local"), path.join(folder, ".env")]);
  const layers: Record<string, string>[] = [];
  const found: string[] = [];
  const problems = new Map<string, Finding[]>();
  await mapInSequence(paths, async (file) => {
    const read = await files.text(file);
    if (read.success) {
      const { parse } = await import("dotenv");
      layers.push(parse(read.data.text));
      found.push(read.data.file);
    } else if (read.error.kind !== "missing") {
      const message = `${files.shown(file)} ${read.error.reason}`;
      const finding = findingOn(files.shown(file), 0, { code: "CONFIG_FILE_REF_ERROR", message });
      const folder = path.dirname(file);
      problems.set(folder, [...(problems.get(folder) ?? []), finding]);
    }
  });
  if (layers.length === 0) return { env, files: [], problems };
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
  const merged = [...layers.toReversed(), set].flatMap((layer) => Object.entries(layer));
  return { env: Object.fromEntries(merged), files: found, problems };
}
