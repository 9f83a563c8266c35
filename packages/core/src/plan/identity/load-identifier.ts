import type { ConfigEnvironment } from "../../config/config-environment.js";
import type { AssertionTemplate, ResolvedConfig, ResolvedTest, WatchedCode } from "../../config/resolved-config.js";
import { globBase } from "../../config/suite/load-suites.js";
import type { ResolvedModel } from "../../config/resolved-model.js";
import type { WorkspaceConfig } from "../../workspace/workspace-config.js";
import type { RunPlan } from "../run-plan.js";
import type { Identifier } from "./case-identity.js";
import { createIdentifier } from "./create-identifier.js";
import { createNamedFiles } from "./named-files.js";
import path from "node:path";
import { hash } from "node:crypto";
import { stat } from "node:fs/promises";
import { attempt } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { readBytes } from "../../files/open-for-reading.js";
import { findImports } from "../../modules/find-imports.js";
import { hashValue } from "./content-hash.js";

/**
 * Makes the function that returns the identities of a run's cases. Reads the files whose contents count and that the config
 * only names: modules, programs of the project and JSON Schemas. Call it before the first trial, so that what is changed
 * while the tests run is noticed by the next run.
 */
export async function loadIdentifier(
  { env, secretNames, watch }: Pick<ResolvedConfig, "env" | "secretNames" | "watch">,
  plan: Pick<RunPlan, "root" | "suites">,
  onDependency: ConfigEnvironment["onDependency"] = () => {},
): Promise<Identifier> {
  const contents = await hashFiles(namedFiles(plan), (file) => onDependency(file, "file"));
  const codeHash = watch.length === 0 ? null : await hashCode(watch, plan.root, onDependency);
  return createIdentifier({ root: plan.root, env, secretNames, contents, codeHash });
}

/** One hash for all files that the globs select. */
async function hashCode(
  watch: readonly WatchedCode[],
  root: string,
  onDependency: NonNullable<ConfigEnvironment["onDependency"]>,
): Promise<string> {
  const { glob } = await import("tinyglobby");
  const files = new Set<string>();
  for (const { folder, pattern } of watch) {
    onDependency(globBase(folder, pattern), "below");
    const ignore = ["**/node_modules/**", "**/.git/**", "**/.kindlm/**"];
    for (const file of await glob(pattern, { cwd: folder, absolute: true, ignore })) files.add(path.normalize(file));
  }
  const parts: Record<string, string> = {};
  for (const file of files) {
    const source = await readSource(file, false);
    if (source !== null) parts[path.relative(root, file).split(path.sep).join("/")] = source.hash;
  }
  return hashValue(parts);
}

function namedFiles({ root, suites }: Pick<RunPlan, "root" | "suites">): ReadonlySet<string> {
  const named = createNamedFiles(root);
  const files = new Set<string>();
  const seen = new Set<object>();
  const add = <T extends object>(owners: readonly T[], filesOf: (owner: T) => readonly string[]): void => {
    for (const owner of owners) {
      if (seen.has(owner)) continue;
      seen.add(owner);
      for (const file of filesOf(owner)) files.add(file);
    }
  };
  const tests = suites.flatMap((suite) => (suite.status === "ready" ? suite.source.tests : []));
  for (const test of tests) {
    add([...test.tools, ...(test.agents?.templates ?? []).flatMap(({ tools }) => tools)], named.ofTool);
    add(test.mcpServers, named.ofServer);
    add(modelsOf(test), ({ definition: { file } }) => (file === undefined ? [] : [file]));
    if (test.target !== null) add([test.target], named.ofTarget);
    if (test.workspace !== undefined) add([test.workspace], filesOfSeed);
    if (test.skills !== undefined) add([test.skills], ({ files: ofSkills }) => ofSkills);
    const assertions = assertionsOf(test);
    const isShared = ({ parsed }: AssertionTemplate): boolean => parsed !== null;
    add(assertions.filter(isShared), (template) => named.ofAssertion(template, test));
    // What placeholders stand for differs from test to test.
    const own = assertions.filter((template) => !isShared(template));
    for (const file of own.flatMap((template) => named.ofAssertion(template, test))) files.add(file);
  }
  return files;
}

function filesOfSeed({ seed }: WorkspaceConfig): readonly string[] {
  return seed.kind === "folder" ? seed.files : [];
}

/** Every model that a trial of the test may ask. */
function modelsOf({ models, simulatedUser, judges, embedders, agents }: ResolvedTest): readonly ResolvedModel[] {
  const others = [...judges.values(), ...embedders.values()].map(({ model }) => model);
  const ofAgents = agents?.models.values() ?? [];
  const asked = [...models, ...(simulatedUser === null ? [] : [simulatedUser.model]), ...others, ...ofAgents];
  return asked.flatMap((model) => [model, ...model.fallback]);
}

function assertionsOf({ assertions, input, retries, goals = [] }: ResolvedTest): ResolvedTest["assertions"] {
  const ofTurns = input.kind === "messages" ? [] : input.userTurns.flatMap((turn) => turn.assertions);
  const ofRetries = (retries ?? []).flatMap((retry) =>
    retry === null ? [] : [...retry.assertions, ...retry.stopWhen],
  );
  return [...assertions, ...ofTurns, ...ofRetries, ...goals.flatMap((goal) => goal.assertions)];
}

/** A file with what it imports; null if it is not a file or cannot be read. */
type ReadSource = { hash: string; imports: readonly string[] } | null;

/** Bigger ones are distinguished by size and time of change. */
const mostBytes = 20_000_000;

/**
 * Hashes of files by absolute path. The files that a script imports by a relative path are part of it, so that a change
 * in one of them is a change in all that use it. A path that leads to no readable file has no hash.
 */
async function hashFiles(
  wanted: Iterable<string>,
  onFile: (file: string) => void,
): Promise<ReadonlyMap<string, string>> {
  const sources = new Map<string, Promise<ReadSource>>();
  const sourceOf = (file: string): Promise<ReadSource> => {
    const known = sources.get(file) ?? readSource(file);
    if (!sources.has(file)) onFile(file);
    sources.set(file, known);
    return known;
  };
  const hashes = new Map<string, string>();
  for (const file of wanted) {
    // One by one, or a big config would run out of file handles.
    const found = await hashWithImports(file, sourceOf);
    if (found !== null) hashes.set(file, found);
  }
  return hashes;
}

async function hashWithImports(file: string, sourceOf: (file: string) => Promise<ReadSource>): Promise<string | null> {
  const parts: Record<string, string> = {};
  const open = [file];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const place = path.relative(path.dirname(file), next).split(path.sep).join("/");
    if (parts[place] !== undefined) continue;
    // What is imported is known when the importing file is read.
    const source = await sourceOf(next);
    if (source === null) continue;
    parts[place] = source.hash;
    open.push(...source.imports);
  }
  return Object.keys(parts).length === 0 ? null : hashValue(parts);
}

async function readSource(file: string, withImports = true): Promise<ReadSource> {
  const read = await attempt(async (): Promise<ReadSource> => {
    const found = await stat(file);
    const { size, mtimeMs } = found;
    if (!found.isFile()) return null;
    if (size > mostBytes) return { hash: hashValue({ size, mtimeMs }), imports: [] };
    const content = await readBytes(file, mostBytes);
    const imports = withImports ? await findImports(file, content.toString("utf8")) : [];
    return { hash: hash("sha256", content), imports };
  }, unreadable);
  // What has to be there was checked with the config; the rest was a guess.
  return read.success ? read.data : null;
}

function unreadable(cause: unknown): KindlmError {
  return kindlmError("CONFIG_FILE_REF_ERROR", messageOf(cause), { cause });
}
