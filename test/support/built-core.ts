import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as core from "../../packages/core/src/index.js";
import { repository } from "./run-cli.js";

const file = join(repository, "packages", "core", "dist", "index.js");

/** The library as it is published, which Node loads as it is. */
export const { runTests, setBaselines }: Pick<typeof core, "runTests" | "setBaselines"> = await import(
  /* @vite-ignore */ pathToFileURL(file).href
);
