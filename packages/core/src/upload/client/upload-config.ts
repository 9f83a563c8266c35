import type { ProjectPlace } from "../../config/locate-root.js";
import { writtenSecrets } from "../../config/load-config.js";
import { loadEnvFiles } from "../../config/load-env-files.js";
import { readConfigs } from "../../config/read-configs.js";
import { uploadSchema, type WrittenUpload } from "../../config/schema/upload-schema.js";
import { errorOf, Findings } from "../../config/source/finding.js";
import { parseSection, report, subsection, type Section } from "../../config/source/section.js";
import { SourceFiles } from "../../config/source/source-files.js";
import type { YamlDocument } from "../../config/source/yaml-document.js";
import { secretValues } from "../../redaction/secret-values.js";
import { failure, success, type Result } from "../../result.js";
import type { World } from "../../run/environment.js";
import { isRecord } from "../../values/json.js";
import type { UploadInclude } from "../run-document.js";

/** What the configs of a project say of uploads. */
export interface UploadConfig {
  /** As it is written: nothing in it is taken from the environment, which has secrets. */
  server: string | null;
  project: string | null;
  include: readonly UploadInclude[];
}

const nothing: UploadConfig = { server: null, project: null, include: [] };

/**
 * Reads `upload` and `project` of the configs, and nothing else of them, so that a run can be sent whatever has become of
 * its tests since. The redactor learns the secrets of the configs and of `.env` files. Without a config there is nothing to
 * read, unless one is named. Fails with the codes of configs.
 */
export async function readUploadConfig(
  place: ProjectPlace,
  world: Pick<World, "cwd" | "env" | "redactor"> & Partial<Pick<World, "openModules">>,
): Promise<Result<UploadConfig>> {
  const { cwd, env, redactor } = world;
  const files = new SourceFiles(cwd);
  const found = await readConfigs(place, world, files);
  if (!found.success) {
    const isOptional = found.error.code === "CONFIG_NOT_FOUND" && (place.paths ?? []).length === 0;
    return isOptional ? success(nothing) : found;
  }
  const documents = found.data.read.flatMap((file) => ("document" in file ? file.document : []));
  redactor.add(documents.flatMap(({ value }) => writtenSecrets(value)));
  redactor.add(secretValues((await loadEnvFiles(found.data.folders, files, env)).env));
  return mergeDocuments(documents);
}

function mergeDocuments(documents: readonly YamlDocument[]): Result<UploadConfig> {
  const findings = new Findings();
  let project: string | null = null;
  let first: { upload: WrittenUpload; file: string } | null = null;
  for (const document of documents) {
    const { value } = document;
    if (!isRecord(value)) continue;
    if (typeof value["project"] === "string") project ??= value["project"];
    if (value["upload"] === undefined) continue;
    const whole: Section = { document, base: [], value, findings };
    const parsed = parseSection(subsection(whole, ["upload"], value["upload"]), uploadSchema);
    if (!parsed.success) continue;
    first ??= { upload: parsed.data, file: document.source.file };
    if (JSON.stringify(first.upload) === JSON.stringify(parsed.data)) continue;
    const message = `"upload" holds for the whole run, and ${first.file} sets it to another value`;
    report(whole, { path: ["upload"], message, hint: "Set it in one of the files" });
  }
  if (findings.all.some(({ diagnostic }) => diagnostic.severity === "error")) return failure(errorOf(findings.all));
  const { server = null, project: ofUpload = project, include = [] } = first?.upload ?? {};
  return success({ server, project: ofUpload, include: [...new Set(include)] });
}
