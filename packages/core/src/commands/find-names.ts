import { locateRoot, type ProjectPlace } from "../config/locate-root.js";
import { readConfigs } from "../config/read-configs.js";
import { SourceFiles } from "../config/source/source-files.js";
import { listRunFolders } from "../journal/run-folder.js";
import type { Environment } from "../run/environment.js";
import { isRecord } from "../values/json.js";
import { processDefaults } from "../values/process-defaults.js";

/** What can be named on the command line. */
export interface ProjectNames {
  suites: readonly string[];
  /** As `suite/test`. */
  tests: readonly string[];
  tags: readonly string[];
  models: readonly string[];
  /** IDs of runs, the newest first. */
  runs: readonly string[];
}

/**
 * The names in the configs of a project, as they are written, and its runs. It checks nothing, and reads no file that a
 * config names: it answers a person who has just pressed a key. What cannot be read has no names.
 */
export async function findNames(
  place: ProjectPlace,
  environment: Pick<Environment, "cwd" | "env"> = {},
): Promise<ProjectNames> {
  const { cwd, env } = processDefaults(environment);
  const root = locateRoot(place, cwd);
  const found = await readConfigs(place, { cwd, env }, new SourceFiles(cwd));
  const documents = found.success
    ? found.data.read.flatMap((file) => ("document" in file ? file.document.value : []))
    : [];
  const configs = documents.filter(isRecord);
  const suites = configs.flatMap(({ suites: written }) => recordsIn(written));
  const named = suites.map((suite) => ({ suite, tests: recordsIn(suite["tests"]) }));
  return {
    suites: unique(suites.map(({ name }) => name)),
    tests: unique(
      named.flatMap(({ suite, tests }) => tests.map(({ name }) => `${String(suite["name"])}/${String(name)}`)),
    ),
    tags: unique(named.flatMap(({ suite, tests }) => [suite, ...tests].flatMap(({ tags }) => listed(tags)))),
    models: unique(configs.flatMap(({ models }) => recordsIn(models).map(({ id }) => id))),
    runs: (await listRunFolders(await root)).map(({ id }) => id),
  };
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function recordsIn(value: unknown): readonly Record<string, unknown>[] {
  return listed(value).filter(isRecord);
}

function unique(names: readonly unknown[]): readonly string[] {
  return [...new Set(names.filter((name) => typeof name === "string"))];
}
