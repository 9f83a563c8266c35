import path from "node:path";
import { isRecord } from "../../values/json.js";
import { resolveReference, unusableFile, type FileReference } from "../file-references.js";
import { mapInSequence } from "../map-in-sequence.js";
import type { ResolvedSuite } from "../resolved-config.js";
import { Findings } from "../source/finding.js";
import { findingIn, report, subsection, type Section } from "../source/section.js";
import { brokenSuite, resolveSuite } from "./resolve-suite.js";
import type { SuiteScope } from "./suite-scope.js";

/** A suite with everything that was found in it. */
export interface LoadedSuite {
  suite: ResolvedSuite;
  findings: Findings;
  /** The suite's mapping; null when its file could not be read. */
  section: Section | null;
}

/** The suites of one config: those written in it, and those in the files that it names. */
export async function loadSuites(scope: SuiteScope): Promise<LoadedSuite[]> {
  const loaded = await mapInSequence(scope.written.suites, async (entry, index) => {
    const section = subsection(scope.section, ["suites", index], entry);
    if (typeof entry !== "string") {
      return [await loadSuite({ ...section, findings: new Findings() }, scope, `suites[${index}]`)];
    }
    return loadSuiteFiles({ section, path: [], written: entry, label: `Suite file "${entry}"` }, scope);
  });
  return loaded.flat();
}

async function loadSuite(section: Section, scope: SuiteScope, fallbackName: string): Promise<LoadedSuite> {
  const suite = await resolveSuite(section, scope, fallbackName);
  return { suite, findings: section.findings, section };
}

async function loadSuiteFiles(reference: FileReference, scope: SuiteScope): Promise<LoadedSuite[]> {
  if (!/[*?{}[\]!]/.test(reference.written)) return [await loadSuiteFile(reference, scope)];
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
    loadSuiteFile({ ...reference, written: file, label: `Suite file "${file}"` }, scope),
  );
}

async function loadSuiteFile(reference: FileReference, scope: SuiteScope): Promise<LoadedSuite> {
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
  return loadSuite(section, scope, reference.written);
}

/** `$schema` is for editors. */
function withoutSchemaKey(value: unknown): unknown {
  if (!isRecord(value) || !Object.hasOwn(value, "$schema")) return value;
  const { $schema: _address, ...suite } = value;
  return suite;
}
