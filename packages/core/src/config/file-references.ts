import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import path from "node:path";
import { kindlmError, type ErrorCode } from "../errors/kindlm-error.js";
import { checkPlace } from "../files/open-for-reading.js";
import { failure, success, type Result } from "../result.js";
import { findingIn, type Section } from "./source/section.js";
import type { Finding } from "./source/finding.js";
import { problemOf, type FileProblem, type SourceFiles } from "./source/source-files.js";
import type { SourceText } from "./source/source-text.js";
import type { YamlDocument } from "./source/yaml-document.js";
import type { Path } from "./source/written.js";

/** Where files may lie, and how they are read. */
export interface FileAccess {
  files: SourceFiles;
  /** Paths that leave this folder are refused; null when the config allows them. */
  within: string | null;
}

/** The files that a config may name: those of its folder, or of the project around it. */
export function accessOf(
  { source }: YamlDocument,
  { files, root, isFree }: { files: SourceFiles; root: string | null; isFree: boolean },
): FileAccess {
  const own = path.dirname(source.path);
  // `.kindlm` may stand anywhere; what the config names stands with the config, or with the project around it.
  const folder = root !== null && isWithin(root, own) ? root : own;
  return { files, within: isFree ? null : folder };
}

/** A file that a key of the config names. */
export interface FileReference {
  section: Section;
  path: Path;
  /** As it is written. */
  written: string;
  /** How the error calls it, such as `system_prompt_file "prompts/order.md"` or `Schema file`. */
  label?: string;
  code?: ErrorCode;
  referencedIn?: string | undefined;
}

/** The absolute path of a reference; fails when it leaves the project. */
export function resolveReference(reference: FileReference, access: FileAccess): Result<string, Finding> {
  const folder = path.dirname(reference.section.document.source.path);
  const absolute = path.resolve(folder, reference.written);
  if (access.within === null || isWithin(access.within, absolute)) return success(absolute);
  return failure(
    findingIn(reference.section, {
      path: reference.path,
      message: `"${reference.written}" is outside the folder of the config`,
      hint: "Move the file into it, or set allow_outside: true at the top level",
      referencedIn: reference.referencedIn,
    }),
  );
}

function isWithin(folder: string, absolute: string): boolean {
  const relative = path.relative(folder, absolute);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** The absolute path of a file that must exist; its content is of no interest yet. */
export async function findReference(reference: FileReference, access: FileAccess): Promise<Result<string, Finding>> {
  const absolute = resolveReference(reference, access);
  if (!absolute.success) return absolute;
  access.files.note(absolute.data, "file");
  const found = await attempt(
    () => checkPlace(absolute.data),
    (cause) => kindlmError("CONFIG_FILE_REF_ERROR", messageOf(cause), { cause }),
  );
  if (found.success) return absolute;
  return failure(unusableFile(reference, problemOf(found.error.cause)));
}

export function unusableFile(reference: FileReference, problem: FileProblem): Finding {
  const label = reference.label ?? `${String(reference.path.at(-1))} "${reference.written}"`;
  return findingIn(reference.section, {
    code: reference.code ?? "CONFIG_FILE_REF_ERROR",
    path: reference.path,
    message: `${label} ${problem.reason}`,
    referencedIn: reference.referencedIn,
    subject: reference.written,
  });
}

export async function readReference(
  reference: FileReference,
  access: FileAccess,
  limit?: number,
): Promise<Result<SourceText, readonly Finding[]>> {
  const absolute = resolveReference(reference, access);
  if (!absolute.success) return failure([absolute.error]);
  const read = await access.files.text(absolute.data, limit);
  return read.success ? read : failure([unusableFile(reference, read.error)]);
}

export async function readYamlReference(
  reference: FileReference,
  access: FileAccess,
): Promise<Result<YamlDocument, readonly Finding[]>> {
  const absolute = resolveReference(reference, access);
  if (!absolute.success) return failure([absolute.error]);
  const read = await access.files.yaml(absolute.data);
  if (read.success) return read;
  return failure("reason" in read.error ? [unusableFile(reference, read.error)] : read.error);
}
