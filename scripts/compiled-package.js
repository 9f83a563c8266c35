import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

/** Of the modules in `build` (`dist` of `vitest`). As old as their sources were read, so a later change is seen. */
export const stampOf = (name) => join(root, "packages", name, "build", ".compiled");

/** Whether tsc has compiled each module of a package as it is now. */
export function isCompiled(name) {
  if (!existsSync(stampOf(name))) return false;
  const { mtimeMs } = statSync(stampOf(name));
  const folder = join(root, "packages", name);
  const sources = readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" }).filter(isCompiledFile);
  const inputs = ["tsconfig.base.json", "pnpm-lock.yaml"].map((file) => join(root, file));
  inputs.push(join(folder, "tsconfig.json"), ...sources.map((file) => join(folder, "src", file)));
  return inputs.every((file) => statSync(file).mtimeMs <= mtimeMs);
}

/** Tests and fixtures are not compiled. */
const isCompiledFile = (file) => /(?<!\.test)\.tsx?$/.test(file) && !file.includes("__fixtures__");
