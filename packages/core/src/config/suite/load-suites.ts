import path from "node:path";
import { isRecord } from "../../values/json.js";
import { resolveReference, unusableFile, type FileReference } from "../file-references.js";
import { mapInSequence } from "../map-in-sequence.js";
import type { ResolvedSuite } from "../resolved-config.js";
import { Findings } from "../source/finding.js";
import { findingIn, report, subsection, type Section } from "../source/section.js";
import { brokenSuite, resolveSuite } from "./resolve-suite.js";
import { modelsWithRoles } from "./role-models.js";
import type { SuiteScope } from "./suite-scope.js";

/** A suite with everything that was found in it. */
export interface LoadedSuite {
  suite: ResolvedSuite;
  findings: Findings;
  /** The suite's mapping; null when its file could not be read. */
  section: Section | null;
}

/** A suite as it is written, before it is read; or one whose file can not be. */
type FoundSuite = { section: Section; fallbackName: string } | LoadedSuite;

/** The suites of one config: those written in it, and those in the files that it names. */
export async function loadSuites(scope: SuiteScope): Promise<LoadedSuite[]> {
  const found = await mapInSequence(scope.written.suites, async (entry, index): Promise<readonly FoundSuite[]> => {
    const section = subsection(scope.section, ["suites", index], entry);
    if (typeof entry !== "string") {
      return [{ section: { ...section, findings: new Findings() }, fallbackName: `suites[${index}]` }];
    }
    return findSuiteFiles({ section, path: [], written: entry, label: `Suite file "${entry}"` }, scope);
  });
  const suites = found.flat();
  const known = { ...scope, defaultModels: testedByDefault(scope, suites) };
  return mapInSequence(suites, async (one) => {
    if (!("fallbackName" in one)) return one;
    const { section, fallbackName } = one;
    return { suite: await resolveSuite(section, known, fallbackName), findings: section.findings, section };
  });
}

/** Where nothing says which models are tested, those that play users or judge somewhere are not. */
function testedByDefault(scope: SuiteScope, suites: readonly FoundSuite[]): SuiteScope["defaultModels"] {
  if (scope.written.defaults?.models !== undefined) return scope.defaultModels;
  const written = suites.map(({ section }) => section?.value);
  const taken = modelsWithRoles(scope.written.defaults, written);
  return scope.defaultModels.filter((model) => !taken.has(model.id));
}

async function findSuiteFiles(reference: FileReference, scope: SuiteScope): Promise<FoundSuite[]> {
  if (!/[*?{}[\]!]/.test(reference.written)) return [await findSuiteFile(reference, scope)];
  const folder = path.dirname(reference.section.document.source.path);
  const { glob } = await import("tinyglobby");
  const files = await glob(reference.written, {
    cwd: folder,
    ignore: ["**/node_modules/**"],
    expandDirectories: false,
  });
  if (files.length === 0) {
    const message = `No file matches "${reference.written}"`;
    report(reference.section, { code: "CONFIG_FILE_REF_ERROR", path: [], message, subject: reference.written });
  }
  // The config itself may match its own pattern.
  const others = files.filter((file) => path.resolve(folder, file) !== scope.section.document.source.path);
  return mapInSequence(others.toSorted(), (file) =>
    findSuiteFile({ ...reference, written: file, label: `Suite file "${file}"` }, scope),
  );
}

async function findSuiteFile(reference: FileReference, scope: SuiteScope): Promise<FoundSuite> {
  const findings = new Findings();
  const broken = (): LoadedSuite => {
    const { file } = reference.section.document.source;
    return { suite: brokenSuite(reference.written, file, findings), findings, section: null };
  };
  const absolute = resolveReference({ ...reference, section: { ...reference.section, findings } }, scope.access);
  if (!absolute.success) {
    findings.add(absolute.error);
    return broken();
  }
  const read = await scope.access.files.yaml(absolute.data);
  if (!read.success) {
    findings.add(...("reason" in read.error ? [unusableFile(reference, read.error)] : read.error));
    return broken();
  }
  const document = read.data;
  const section: Section = { document, base: [], value: withoutSchemaKey(document.value), findings };
  if (document.value === null) {
    findings.add(
      findingIn(section, { path: [], message: "The suite file is empty", hint: "It holds one suite: name, tests, …" }),
    );
    return broken();
  }
  return { section, fallbackName: reference.written };
}

/** `$schema` is for editors. */
function withoutSchemaKey(value: unknown): unknown {
  if (!isRecord(value) || !Object.hasOwn(value, "$schema")) return value;
  const { $schema: _address, ...suite } = value;
  return suite;
}
