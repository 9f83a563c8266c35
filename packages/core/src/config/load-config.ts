import path from "node:path";
import { createUserModules } from "../modules/create-user-modules.js";
import { secretValues } from "../redaction/secret-values.js";
import { failure, success, type Result } from "../result.js";
import { createSystemClock } from "../values/clock.js";
import { checkLimitedArms, checkNeededSettings } from "./check-gates.js";
import type { ConfigEnvironment } from "./config-environment.js";
import type { UnreadableFolder } from "./find-config-files.js";
import { brokenFile, isolateBroken, withUniqueNames } from "./isolate-broken.js";
import type { ProjectPlace } from "./locate-root.js";
import type { ExtensionWorld } from "./load-extensions.js";
import { loadEnvFiles } from "./load-env-files.js";
import { mapInSequence } from "./map-in-sequence.js";
import { noModels, resolveConfigFile, type ResolvedConfigFile } from "./resolve-config-file.js";
import { readConfigs } from "./read-configs.js";
import { mergePlugins } from "./resolve-plugins.js";
import type { ResolvedConfig } from "./resolved-config.js";
import { errorOf, findingOn, Findings } from "./source/finding.js";
import { isSecretName } from "./source/secret-literals.js";
import { SourceFiles } from "./source/source-files.js";
import type { LoadedSuite } from "./suite/load-suites.js";
import { addressPasswords } from "../redaction/address-passwords.js";
import { isRecord } from "../values/json.js";
import { mergeGates } from "../gates/read-gates.js";
import { report } from "./source/section.js";
import type { Path } from "./source/written.js";
import { mergeUploads, type UploadPart } from "./upload-settings.js";
import type { WrittenConfig } from "./schema/config-schema.js";
import {
  builtinAlpha,
  builtinConcurrency,
  builtinKeptRuns,
  builtinMargin,
  builtinSeed,
  builtinTimeouts,
  timeoutsOf,
} from "./written-settings.js";

const secretHeader = /auth|key|token|secret|cookie|password/i;
const scheme = /^[A-Za-z]+\s+/;

export interface ConfigRequest extends ProjectPlace {
  /** In CI, `only: true` is an error. */
  ci: boolean;
}

/** What loading takes of the world: what reading does, and what the modules of `extensions:` need. */
export interface LoadingEnvironment extends ConfigEnvironment, Partial<Omit<ExtensionWorld, "signal">> {
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
  const files = new SourceFiles(cwd, environment.expectLargeConfig, environment.onDependency);
  const found = await readConfigs(request, { ...environment, ci: request.ci }, files);
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
    reporterNames: environment.reporterNames ?? [],
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
  const isKnown = suites.every(({ suite }) => suite.status === "ready");
  const arms = suites.flatMap(({ suite }) => (suite.status === "ready" ? (suite.arms ?? []) : []).map(({ id }) => id));
  for (const { section, written: one } of resolved) checkLimitedArms(section, one?.gates, isKnown ? arms : null);
  const findings = new Findings();
  findings.add(...resolved.flatMap(({ section, parts }) => [section.findings, ...parts]).flatMap(({ all }) => all));
  findings.add(...suites.flatMap((suite) => suite.findings.all));
  const isReady = suites.some(({ suite }) => suite.status === "ready");
  if (!isReady || settings === null) return failure(errorOf(findings.all));
  files.forget();
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

/**
 * Secrets that are written in a config, although they should not be: passwords in addresses, headers and variables of
 * programs that are named like a secret. What a placeholder stands for is known from the environment.
 */
export function writtenSecrets(config: unknown): readonly string[] {
  const found = new Set<string>();
  const take = (value: unknown): void => {
    if (typeof value !== "string" || value.includes("${")) return;
    found.add(value).add(value.replace(scheme, ""));
  };
  const takeNamed = (held: unknown, isSecret: (name: string) => boolean): void => {
    if (isRecord(held)) for (const [name, value] of Object.entries(held)) if (isSecret(name)) take(value);
  };
  const visit = (value: unknown): void => {
    if (typeof value === "string") addressPasswords(value).forEach(take);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (isRecord(value)) {
      takeNamed(value["headers"], isHeader);
      takeNamed(value["env"], isSecretName);
      // Tests are what is said, and by far the largest part.
      for (const [key, item] of Object.entries(value)) if (key !== "tests") visit(item);
    }
  };
  visit(config);
  return [...found];
}

function isHeader(name: string): boolean {
  return secretHeader.test(name);
}

type RunSettings = Pick<
  ResolvedConfig,
  | "project"
  | "gates"
  | "exitOn"
  | "comparison"
  | "cassette"
  | "concurrency"
  | "seed"
  | "maxCostUsd"
  | "timeouts"
  | "runTimeoutMs"
  | "keepRuns"
  | "watch"
  | "upload"
>;

/**
 * What holds for the run as a whole. Several configs may each set it, but not to different values, which is reported.
 * Null when no file could be read.
 */
function mergeRunSettings(files: readonly ResolvedConfigFile[], isOneOfSeveral: boolean): RunSettings | null {
  const first = files.find((file) => file.written !== null)?.written;
  if (first === undefined || first === null) return null;
  const setting = <T>(at: Path, read: (written: WrittenConfig) => T | undefined): T | undefined => {
    let chosen: { value: T; file: string } | undefined;
    for (const { written, section } of files) {
      const value = written === null ? undefined : read(written);
      if (value === undefined) continue;
      const { file } = section.document.source;
      chosen ??= { value, file };
      if (chosen.value === value) continue;
      const message = `"${at.join(".")}" holds for the whole run, and ${chosen.file} sets it to another value`;
      report(section, { path: at, message, hint: "Set it in one of the files, or run them one by one" });
    }
    return chosen?.value;
  };

  return {
    project: files.find((file) => file.written?.project !== undefined)?.written?.project ?? null,
    gates: mergeGates(
      files.flatMap(({ written }) => (written?.gates === undefined ? [] : [written.gates])),
      (name, read) => setting(["gates", name], ({ gates }) => (gates === undefined ? undefined : read(gates))),
    ),
    exitOn: setting(["exit_on"], (written) => written.exit_on) ?? "tests",
    comparison: {
      alpha: setting(["baseline", "alpha"], (written) => written.baseline?.alpha) ?? builtinAlpha,
      margin: setting(["baseline", "margin"], (written) => written.baseline?.margin) ?? builtinMargin,
    },
    cassette: setting(["cassette"], (written) => written.cassette) ?? "off",
    concurrency: setting(["defaults", "concurrency"], (written) => written.defaults?.concurrency) ?? builtinConcurrency,
    seed: setting(["defaults", "seed"], (written) => written.defaults?.seed) ?? builtinSeed,
    upload: mergeUploads(files.map(uploadPartOf)),
    keepRuns: keptRuns(setting(["keep_runs"], (written) => written.keep_runs)),
    watch: files.flatMap(({ written, section }) => {
      const folder = path.dirname(section.document.source.path);
      return (written?.watch ?? []).map((pattern) => ({ folder, pattern }));
    }),
    maxCostUsd: setting(["limits", "max_cost"], (written) => written.limits?.max_cost) ?? null,
    // Of several files, each hands its deadlines to its own models and tests.
    timeouts: isOneOfSeveral ? builtinTimeouts : { ...builtinTimeouts, ...timeoutsOf(first.timeouts) },
    runTimeoutMs: setting(["timeouts", "run"], (written) => written.timeouts?.run) ?? null,
  };
}

function uploadPartOf({ section, written }: ResolvedConfigFile): UploadPart {
  return { document: section.document, project: written?.project, upload: written?.upload };
}

function keptRuns(written: number | "all" | undefined): number | null {
  return written === "all" ? null : (written ?? builtinKeptRuns);
}
