import path from "node:path";
import { pathToFileURL } from "node:url";
import { race } from "../../assertions/module/race.js";
import { createUserModules } from "../../modules/create-user-modules.js";
import { findImports } from "../../modules/find-imports.js";
import type { ModuleFailure } from "../../modules/module-failure.js";
import { wholeModule } from "../../modules/create-export-loader.js";
import type { UserModules } from "../../modules/user-modules.js";
import { failure, success, type Result } from "../../result.js";
import { createSystemClock, type Clock } from "../../values/clock.js";
import { renderDuration } from "../../values/duration.js";
import type { ConfigEnvironment } from "../config-environment.js";
import { loadEnvFiles } from "../load-env-files.js";
import { mapInSequence } from "../map-in-sequence.js";
import { findingAt, findingOn, Findings, type Finding, type FindingText } from "../source/finding.js";
import { report } from "../source/section.js";
import type { FileProblem, SourceFiles } from "../source/source-files.js";
import type { SourceText } from "../source/source-text.js";
import { locate } from "../source/written.js";
import type { YamlDocument } from "../source/yaml-document.js";
import { readConfigAction, type ConfigOutcome } from "./config-action.js";
import { locateLiterals } from "./locate-literals.js";

/** Longer than the slowest of modules takes. */
const loadingMs = 60_000;
const example = "Add a default export: defineConfig({ version: 1, suites: [ … ] })";

/** What reading a config module takes of the world. */
export interface ConfigModuleEnvironment extends Pick<ConfigEnvironment, "env" | "cwd"> {
  ci?: boolean;
  clock?: Clock;
  signal?: AbortSignal | null;
  /** Default: a worker whose output goes to stderr. */
  openModules?(): UserModules;
}

/**
 * The config that a module exports, as the document that a YAML file with the same values would be. A finding has its path
 * and, as far as the config is written as a literal, its line. The module runs in its own worker, which ends with the load.
 */
export async function loadConfigModule(
  file: string,
  files: SourceFiles,
  environment: ConfigModuleEnvironment,
): Promise<Result<YamlDocument, FileProblem | readonly Finding[]>> {
  const read = await files.text(file);
  if (!read.success) return read;
  const source: SourceText = { ...read.data, isModule: true };
  await noteImports(source, files, new Set([file]));
  const literals = locateLiterals(source.text);
  const tell = (text: FindingText, cause?: unknown): Result<never, readonly Finding[]> => {
    const range = placeOfThrow(cause, source);
    const whole = { code: "CONFIG_PARSE_ERROR" as const, ...text };
    const finding = range === null ? findingOn(source.file, source.order, whole) : findingAt(source, range, whole);
    return failure([{ ...finding, cause }]);
  };
  const ran = await evaluate(file, files, environment);
  if (!ran.success) return tell(wordsOf(source.file, ran.error), ran.error.cause);
  if ("exported" in ran.data) {
    const { exported } = ran.data;
    const hint = exported.length === 0 ? example : `It exports ${exported.join(", ")}. ${example}`;
    return tell({ message: `${source.file} has no default export`, hint });
  }
  const { value, problems } = ran.data;
  const document: YamlDocument = {
    source,
    value,
    locate: (at, atKey) => (literals === null ? { start: 0, end: 0 } : locate(literals, at, atKey)),
  };
  const findings = new Findings();
  report({ document, base: [], value, findings }, ...problems);
  return problems.length === 0 ? success(document) : failure(findings.all);
}

/** What the module imports is what its config depends on. */
async function noteImports({ path: file, text }: SourceText, files: SourceFiles, noted: Set<string>): Promise<void> {
  const imported = (await findImports(file, text)).filter((one) => !noted.has(one));
  for (const one of imported) noted.add(one);
  await mapInSequence(imported, async (one) => {
    const read = await files.text(one);
    if (read.success) await noteImports(read.data, files, noted);
  });
}

async function evaluate(
  file: string,
  files: SourceFiles,
  environment: ConfigModuleEnvironment,
): Promise<Result<ConfigOutcome, ModuleFailure>> {
  const { env } = await loadEnvFiles([path.dirname(file)], files, environment.env);
  const context = { env, ci: environment.ci ?? false };
  const modules = environment.openModules?.() ?? createUserModules({ console: "stderr" });
  const call = { file, exportName: wholeModule, what: `config ${files.shown(file)}`, isRepeatable: false };
  const world = {
    clock: environment.clock ?? createSystemClock(),
    signal: environment.signal ?? new AbortController().signal,
    timeoutMs: loadingMs,
  };
  const raced = await race(
    (signal) => modules.call({ ...call, action: readConfigAction, input: context, signal }),
    world,
    () => false,
  );
  await modules.close();
  if (raced.done) return raced.value;
  const message =
    raced.reason === "abort"
      ? "was interrupted while it was loaded"
      : `was not loaded within ${renderDuration(loadingMs)}: something that it waits for never ends`;
  return failure({ how: "swept", message });
}

/** What happened, without its stack. */
function wordsOf(file: string, { how, message, cause }: ModuleFailure): FindingText {
  const needsLoader = /is TypeScript.*?(?=\. (Run: .+))/.exec(message);
  if (needsLoader !== null) return { message: `${file} ${needsLoader[0]}`, hint: needsLoader[1] };
  const [first = ""] = (cause instanceof Error ? cause.message : message).replace(/^\w*Error: /, "").split("\n");
  const thrown = first.trim();
  switch (how) {
    case "missing": {
      const [, library] = /^Cannot find (?:package|module) '((?:@[\w.-]+\/)?[\w-][\w.-]*)/.exec(thrown) ?? [];
      const hint = library === undefined ? undefined : `Run: npm install --save-dev ${library}`;
      return { message: `${file} cannot be loaded: ${thrown}`, hint };
    }
    case "threw":
      return { message: `${file} threw an error: ${thrown}` };
    case "ended":
      return { message: `${file} ${message}`, hint: "Remove what ends the process" };
    case "unfit":
    case "swept":
      return { message: `${file} ${message}` };
  }
}

/** Where the module itself threw, or led to it: the first frame in it. */
function placeOfThrow(cause: unknown, source: SourceText): { start: number; end: number } | null {
  const stack = cause instanceof Error ? (cause.stack ?? "") : "";
  for (const name of [source.path, pathToFileURL(source.path).href]) {
    const at = stack.indexOf(`${name}:`);
    const [, line = "", column = "1"] = /^:(\d+)(?::(\d+))?/.exec(stack.slice(at + name.length)) ?? [];
    if (at === -1 || line === "") continue;
    const before = source.text.split("\n").slice(0, Number(line) - 1);
    const start = before.reduce((sum, one) => sum + one.length + 1, 0);
    const length = source.text.slice(start).split("\n", 1)[0]?.length ?? 0;
    return { start: start + Math.min(Number(column) - 1, length), end: start + length };
  }
  return null;
}
