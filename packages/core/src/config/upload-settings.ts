import { failure, success, type Result } from "../result.js";
import type { WrittenUpload } from "./schema/upload-schema.js";
import { errorOf, Findings } from "./source/finding.js";
import { report } from "./source/section.js";
import type { YamlDocument } from "./source/yaml-document.js";

/** What the configs of a project say of uploads. */
export interface UploadSettings {
  /** As it is written: nothing in it is taken from the environment, which has secrets. */
  server: string | null;
  project: string | null;
  include: NonNullable<WrittenUpload["include"]>;
}

/** What one config says of uploads. They go to `project` where `upload` names none. */
export interface UploadPart {
  document: YamlDocument;
  project: string | undefined;
  upload: WrittenUpload | undefined;
}

/** What holds for the run as a whole. Fails with CONFIG_VALIDATION_ERROR where two configs have different values. */
export function mergeUploads(parts: readonly UploadPart[]): Result<UploadSettings> {
  const findings = new Findings();
  let first: { upload: WrittenUpload; file: string } | null = null;
  for (const { document, upload } of parts) {
    if (upload === undefined) continue;
    first ??= { upload, file: document.source.file };
    if (JSON.stringify(first.upload) === JSON.stringify(upload)) continue;
    const message = `"upload" holds for the whole run, and ${first.file} and ${document.source.file} set it to different values`;
    const whole = { document, base: [], value: document.value, findings };
    report(whole, { path: ["upload"], message, hint: "Set it in one of the files" });
  }
  if (findings.all.length > 0) return failure(errorOf(findings.all));
  const ofConfigs = parts.find(({ project }) => project !== undefined)?.project ?? null;
  const { server = null, project = ofConfigs, include = [] } = first?.upload ?? {};
  return success({ server, project, include: [...new Set(include)] });
}
