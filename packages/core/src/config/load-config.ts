import path from "node:path";
import type { Environment } from "../environment.js";
import { secretValues } from "../redaction/secret-values.js";
import { failure, success, type Result } from "../result.js";
import { findConfigFiles } from "./find-config-files.js";
import { loadEnvFiles } from "./load-env-files.js";
import { mergeRunSettings } from "./merge-run-settings.js";
import { mapInSequence } from "./map-in-sequence.js";
import { noModels, resolveConfigFile, type ResolvedConfigFile } from "./resolve-config-file.js";
import { mergePlugins } from "./resolve-plugins.js";
import type { BrokenSuite, ResolvedConfig, ResolvedTest } from "./resolved-config.js";
import { errorOf, findingOn, Findings, type Finding } from "./source/finding.js";
import { report } from "./source/section.js";
import { isSecretName } from "./source/secret-literals.js";
import { SourceFiles } from "./source/source-files.js";
import { writtenSecrets } from "./source/written-secrets.js";
import type { YamlDocument } from "./source/yaml-document.js";
import { brokenSuite } from "./suite/resolve-suite.js";
import type { LoadedSuite } from "./suite/load-suites.js";

export interface ConfigRequest {
  /** Files or folders; none means `kindlm.yaml` in the working folder. */
  paths: readonly string[];
  /** In CI, `only: true` is an error. */
  ci: boolean;
  /** The project's folder, when it is not that of the first config. */
  root?: string;
}

/**
 * Reads and checks one or several configs, with every file that they name.
 *
 * A suite that is not valid is in the result as broken, with its error. Fails when a config is missing
 * (CONFIG_NOT_FOUND), when something outside the suites is not valid, and when no suite is ready; the error is that of
 * the first problem, and `details.diagnostics` has all of all files. The redactor learns every secret on the way, so that
 * no error shows one.
 */
export async function loadConfig(
  request: ConfigRequest,
  environment: Pick<Environment, "env" | "cwd" | "redactor" | "expectLargeConfig">,
): Promise<Result<ResolvedConfig>> {
  const { cwd, redactor } = environment;
  const found = await findConfigFiles(request.paths, cwd);
  if (!found.success) return found;
  const files = new SourceFiles(cwd, environment.expectLargeConfig);
  const documents = await readConfigs(found.data, files);
  if (!documents.success) return failure(errorOf(documents.error));
  redactor?.add(documents.data.flatMap(({ value }) => writtenSecrets(value)));
  const folders = found.data.map((file) => path.dirname(file));
  const loadedEnv = await loadEnvFiles(folders, files, environment.env);
  if (!loadedEnv.success) return failure(errorOf(loadedEnv.error));
  const { env, files: envFiles } = loadedEnv.data;

  const root = request.root === undefined ? null : path.resolve(cwd, request.root);
  const isOneOfSeveral = documents.data.length > 1;
  const world = { files, env, isCi: request.ci, root, isOneOfSeveral };
  const resolved = await mapInSequence(documents.data, (document) => resolveConfigFile(document, world));
  const secretNames = [
    ...new Set([...resolved.flatMap((file) => file.secretNames), ...Object.keys(env).filter(isSecretName)]),
  ];
  redactor?.add(secretValues(env, secretNames));
  const suites = withUniqueNames(resolved.flatMap((file) => file.suites));
  const settings = mergeRunSettings(resolved);
  const findings = new Findings();
  checkFirstTryGate(resolved, suites);
  findings.add(...resolved.flatMap((file) => file.section.findings.all));
  const isFatal = findings.hasErrors || !suites.some(({ suite }) => suite.status === "ready");
  findings.add(...suites.flatMap((suite) => suite.findings.all));
  if (isFatal || settings === null) return failure(errorOf(findings.all));
  return success({
    ...settings,
    files: found.data.map((file) => files.shown(file)),
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

async function readConfigs(
  paths: readonly string[],
  files: SourceFiles,
): Promise<Result<readonly YamlDocument[], readonly Finding[]>> {
  const documents: YamlDocument[] = [];
  const problems: Finding[] = [];
  await mapInSequence(paths, async (file, order) => {
    const read = await files.yaml(file);
    if (read.success) documents.push(read.data);
    else if ("reason" in read.error) {
      const shown = files.shown(file);
      problems.push(findingOn(shown, order, { code: "CONFIG_PARSE_ERROR", message: `${shown} ${read.error.reason}` }));
    } else problems.push(...read.error);
  });
  return problems.length > 0 ? failure(problems) : success(documents);
}

/** A name that is taken makes the later suite a broken one. */
function withUniqueNames(suites: readonly LoadedSuite[]): readonly LoadedSuite[] {
  const names = new Map<string, LoadedSuite>();
  return suites.map((loaded) => {
    const { suite, section, findings } = loaded;
    const earlier = names.get(suite.name);
    names.set(suite.name, earlier ?? loaded);
    if (earlier === undefined || section === null) return loaded;
    report(section, {
      path: ["name"],
      message: `There is already a suite "${suite.name}" in ${earlier.suite.file}`,
      hint: "Give each suite of the run a name of its own",
    });
    const tests = suite.tests.map((test) => ({
      name: test.name,
      tags: test.tags,
      models: agentIdsOf(test),
      prompts: test.prompts.map((prompt) => (prompt === null || typeof prompt === "string" ? prompt : prompt.id)),
      rowKeys: "rowKeys" in test ? test.rowKeys : (test.rows?.map((row) => row.key) ?? null),
      faults: "faults" in test ? test.faults : test.faultVariants.map((variant) => variant.id),
    }));
    return { ...loaded, suite: brokenSuite(suite.name, suite.file, findings, tests) };
  });
}

function agentIdsOf(test: ResolvedTest | BrokenSuite["tests"][number]): readonly string[] {
  if ("target" in test && test.target?.proxy === false) return [test.target.id];
  return test.models.map((model) => (typeof model === "string" ? model : model.id));
}

/** Such a gate would always trip: there is nothing that it could be told from. */
function checkFirstTryGate(files: readonly ResolvedConfigFile[], suites: readonly LoadedSuite[]): void {
  const isUsed = suites.some(
    ({ suite }) => suite.status === "broken" || suite.tests.some((test) => test.retries !== undefined),
  );
  if (isUsed) return;
  for (const { written, section } of files) {
    if (written?.gates?.first_try === undefined) continue;
    report(section, {
      path: ["gates", "first_try"],
      atKey: true,
      severity: "warning",
      message: "No test has a retry_until, so this gate can not be told and always trips",
      hint: "Remove it, or add retry_until to the tests whose first answers are to be counted",
    });
  }
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
