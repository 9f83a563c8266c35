import path from "node:path";
import { createUserModules } from "../modules/create-user-modules.js";
import { secretValues } from "../redaction/secret-values.js";
import { failure, success, type Result } from "../result.js";
import { createSystemClock } from "../values/clock.js";
import { checkNeededSettings } from "./check-gates.js";
import type { ConfigEnvironment } from "./config-environment.js";
import type { UnreadableFolder } from "./find-config-files.js";
import { brokenFile, isolateBroken, withUniqueNames } from "./isolate-broken.js";
import type { ProjectPlace } from "./locate-root.js";
import type { ExtensionWorld } from "./load-extensions.js";
import { loadEnvFiles } from "./load-env-files.js";
import { mergeRunSettings } from "./merge-run-settings.js";
import { mapInSequence } from "./map-in-sequence.js";
import { noModels, resolveConfigFile } from "./resolve-config-file.js";
import { readConfigs } from "./read-configs.js";
import { mergePlugins } from "./resolve-plugins.js";
import type { ResolvedConfig } from "./resolved-config.js";
import { errorOf, findingOn, Findings } from "./source/finding.js";
import { isSecretName } from "./source/secret-literals.js";
import { SourceFiles } from "./source/source-files.js";
import { writtenSecrets } from "./source/written-secrets.js";
import type { LoadedSuite } from "./suite/load-suites.js";

export interface ConfigRequest extends ProjectPlace {
  /** In CI, `only: true` is an error. */
  ci: boolean;
}

/** What loading takes of the world: what reading does, and what the modules of `extensions:` need. */
export interface LoadingEnvironment extends ConfigEnvironment, Partial<Pick<ExtensionWorld, "clock" | "openModules">> {
  signal?: AbortSignal | null;
}

/**
 * Reads and checks one or several configs, with every file that they name.
 *
 * What is not valid is in the result as a broken suite, with its error: a suite, one that needs a model or a setting that
 * is not valid, a whole file. Fails when a config is missing (CONFIG_NOT_FOUND) and when no suite is ready; the error is
 * that of the first problem, and `details.diagnostics` has all of all files. The redactor learns every secret on the way, so that
 * no error shows one.
 */
export async function loadConfig(
  request: ConfigRequest,
  environment: LoadingEnvironment,
): Promise<Result<ResolvedConfig>> {
  const { cwd, redactor } = environment;
  const files = new SourceFiles(cwd, environment.expectLargeConfig);
  const found = await readConfigs(request, cwd, files);
  if (!found.success) return found;
  const { read, folders, unreadable } = found.data;
  redactor?.add(read.flatMap((file) => ("document" in file ? writtenSecrets(file.document.value) : [])));
  const { env, files: envFiles, problems } = await loadEnvFiles(folders, files, environment.env);

  const root = request.root === undefined ? null : path.resolve(cwd, request.root);
  const isOneOfSeveral = read.length > 1;
  const extensions: ExtensionWorld = {
    clock: environment.clock ?? createSystemClock(),
    signal: environment.signal ?? new AbortController().signal,
    openModules: environment.openModules ?? (() => createUserModules()),
  };
  const world = { files, env, isCi: request.ci, root, isOneOfSeveral, extensions };
  const loaded = await mapInSequence(read, async (file) =>
    "document" in file ? { resolved: await resolveConfigFile(file.document, world) } : file,
  );
  const resolved = loaded.flatMap((file) => ("resolved" in file ? file.resolved : []));
  for (const { section } of resolved) {
    section.findings.add(...(problems.get(path.dirname(section.document.source.path)) ?? []));
  }
  const secretNames = [
    ...new Set([...resolved.flatMap((file) => file.secretNames), ...Object.keys(env).filter(isSecretName)]),
  ];
  redactor?.add(secretValues(env, secretNames));
  const settings = mergeRunSettings(resolved, isOneOfSeveral);
  const written = loaded.flatMap((file) => ("resolved" in file ? isolateBroken(file.resolved) : file.broken));
  const suites = withUniqueNames([...unreadable.map((folder) => unreadableFolder(folder, files)), ...written]);
  checkNeededSettings(
    resolved,
    suites.map(({ suite }) => suite),
  );
  const findings = new Findings();
  findings.add(...resolved.flatMap(({ section, parts }) => [section.findings, ...parts]).flatMap(({ all }) => all));
  findings.add(...suites.flatMap((suite) => suite.findings.all));
  const isReady = suites.some(({ suite }) => suite.status === "ready");
  if (!isReady || settings === null) return failure(errorOf(findings.all));
  return success({
    ...settings,
    files: found.data.shown,
    root: root ?? folders[0] ?? cwd,
    suites: suites.map(({ suite }) => suite),
    models: resolved[0]?.models ?? noModels,
    plugins: mergePlugins(resolved.map((file) => file.plugins)),
    warnings: warningsOf(findings, suites),
    env,
    envFiles,
    secretNames,
  });
}

/** Nobody knows which suites are in it. */
function unreadableFolder({ folder, reason }: UnreadableFolder, files: SourceFiles): LoadedSuite {
  const shown = files.shown(folder);
  const findings = new Findings();
  findings.add(findingOn(shown, 0, { code: "CONFIG_FILE_REF_ERROR", message: `The folder ${shown} ${reason}` }));
  return brokenFile(shown, findings);
}

/** Those of broken suites are in their own diagnostics. */
function warningsOf(findings: Findings, suites: readonly LoadedSuite[]): ResolvedConfig["warnings"] {
  const ofBroken = new Set(
    suites.flatMap(({ suite, findings: own }) =>
      suite.status === "broken" ? own.warnings.map((finding) => finding.diagnostic) : [],
    ),
  );
  return findings.warnings.map((finding) => finding.diagnostic).filter((diagnostic) => !ofBroken.has(diagnostic));
}
