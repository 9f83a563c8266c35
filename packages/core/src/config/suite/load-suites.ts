import path from "node:path";
import { isRecord } from "../../values/json.js";
import { resolveReference, unusableFile, type FileReference } from "../file-references.js";
import { mapInSequence } from "../map-in-sequence.js";
import type { ResolvedSuite } from "../resolved-config.js";
import { Findings, type Finding } from "../source/finding.js";
import { findingIn, report, subsection, type Section } from "../source/section.js";
import { reportMatcherSlips } from "./report-schema-slips.js";
import { brokenSuite } from "./broken-suite.js";
import { resolveSuite } from "./resolve-suite.js";
import { findDefaultModels } from "./tested-models.js";
import type { SuiteScope } from "./suite-scope.js";

/** A suite with everything that was found in it. */
export interface LoadedSuite {
  suite: ResolvedSuite;
  findings: Findings;
  /** The suite's mapping; null when its file could not be read. */
  section: Section | null;
}

/** The suites of a file. */
export interface LoadedSuites {
  suites: readonly LoadedSuite[];
  /** What is wrong with the models that are tested by default; a suite that is to be tested on them has it, too. */
  problems: readonly Finding[];
}

/** A suite as it is written, before it is read; or one whose file cannot be. */
type FoundSuite = { section: Section; fallbackName: string } | LoadedSuite;

/** The suites of one config: those written in it, and those in the files that it names. */
export async function loadSuites(around: Omit<SuiteScope, "defaultModels">): Promise<LoadedSuites> {
  const found = await mapInSequence(around.written.suites, async (entry, index): Promise<readonly FoundSuite[]> => {
    const section = subsection(around.section, ["suites", index], entry);
    if (typeof entry !== "string") {
      return [{ section: { ...section, findings: new Findings() }, fallbackName: `suites[${index}]` }];
    }
    return findSuiteFiles({ section, path: [], written: entry, label: `Suite file "${entry}"` }, around);
  });
  const written = found.flat();
  const values = written.map(({ section }) => section?.value);
  const defaultModels = findDefaultModels(around.section, around.written, values, around.models);
  const scope: SuiteScope = { ...around, defaultModels };
  const suites = await mapInSequence(written, async (one) => {
    if (!("fallbackName" in one)) return one;
    const { section, fallbackName } = one;
    reportMatcherSlips(section);
    return { suite: await resolveSuite(section, scope, fallbackName), findings: section.findings, section };
  });
  return { suites, problems: defaultModels.problems };
}

type FileScope = Pick<SuiteScope, "access" | "section">;

async function findSuiteFiles(reference: FileReference, scope: FileScope): Promise<FoundSuite[]> {
  if (!/[*?{}[\]!]/.test(reference.written)) return [await findSuiteFile(reference, scope)];
  const folder = path.dirname(reference.section.document.source.path);
  scope.access.files.note(globBase(folder, reference.written), "below");
  const { glob } = await import("tinyglobby");
  const files = await glob(reference.written, {
    cwd: folder,
    ignore: ["**/node_modules/**"],
    expandDirectories: false,
  });
  if (files.length === 0) {
    const message = `No file matches "${reference.written}"`;
    const findings = new Findings();
    const section = { ...reference.section, findings };
    report(section, { code: "CONFIG_FILE_REF_ERROR", path: [], message, subject: reference.written });
    return [brokenAt(reference, findings)];
  }
  // The config itself may match its own pattern.
  const others = files.filter((file) => path.resolve(folder, file) !== scope.section.document.source.path);
  return mapInSequence(others.toSorted(), (file) =>
    findSuiteFile({ ...reference, written: file, label: `Suite file "${file}"` }, scope),
  );
}

/** The folder below which all that a glob selects lies. */
export function globBase(folder: string, pattern: string): string {
  const parts = pattern.split("/");
  const firstMagic = parts.findIndex((part) => /[*?{}[\]!()]/.test(part));
  return path.resolve(folder, ...parts.slice(0, firstMagic === -1 ? parts.length - 1 : firstMagic));
}

async function findSuiteFile(reference: FileReference, scope: FileScope): Promise<FoundSuite> {
  const findings = new Findings();
  const absolute = resolveReference({ ...reference, section: { ...reference.section, findings } }, scope.access);
  if (!absolute.success) {
    findings.add(absolute.error);
    return brokenAt(reference, findings);
  }
  const read = await scope.access.files.yaml(absolute.data);
  if (!read.success) {
    findings.add(...("reason" in read.error ? [unusableFile(reference, read.error)] : read.error));
    return brokenAt(reference, findings);
  }
  const document = read.data;
  const { registered } = reference.section;
  const section: Section = { document, base: [], value: withoutSchemaKey(document.value), findings, registered };
  if (document.value === null) {
    findings.add(
      findingIn(section, { path: [], message: "The suite file is empty", hint: "It holds one suite: name, tests, …" }),
    );
    return brokenAt(reference, findings);
  }
  return { section, fallbackName: reference.written };
}

/** A suite of which nothing is known but where it should be. */
function brokenAt({ written, section }: FileReference, findings: Findings): LoadedSuite {
  return { suite: brokenSuite(written, section.document.source.file, findings), findings, section: null };
}

/** `$schema` is for editors. */
function withoutSchemaKey(value: unknown): unknown {
  if (!isRecord(value) || !Object.hasOwn(value, "$schema")) return value;
  const { $schema: _address, ...suite } = value;
  return suite;
}
