import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { setBaselines as SetBaselines } from "../../packages/core/src/commands/baselines.js";
import type { runTests as RunTests } from "../../packages/core/src/commands/run-tests.js";
import { repository } from "./run-cli.js";

const load = (path: string) =>
  import(/* @vite-ignore */ pathToFileURL(join(repository, "packages", "core", "dist", path)).href);

// The library as it is published, which Node loads as it is.
export const { runTests }: { runTests: typeof RunTests } = await load("index.js");
export const { setBaselines }: { setBaselines: typeof SetBaselines } = await load("commands/baselines.js");
