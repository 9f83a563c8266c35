import type { ProjectPlace } from "../../config/locate-root.js";
import { writtenSecrets } from "../../config/load-config.js";
import { loadEnvFiles } from "../../config/load-env-files.js";
import { readConfigs } from "../../config/read-configs.js";
import { uploadSchema } from "../../config/schema/upload-schema.js";
import { errorOf, Findings } from "../../config/source/finding.js";
import { parseSection, subsection, type Section } from "../../config/source/section.js";
import { SourceFiles } from "../../config/source/source-files.js";
import type { YamlDocument } from "../../config/source/yaml-document.js";
import { mergeUploads, type UploadPart, type UploadSettings } from "../../config/upload-settings.js";
import { secretValues } from "../../redaction/secret-values.js";
import { failure, success, type Result } from "../../result.js";
import type { World } from "../../run/environment.js";
import { isRecord } from "../../values/json.js";

const nothing: UploadSettings = { server: null, project: null, include: [] };

/**
 * Reads `upload` and `project` of the configs, and nothing else of them, so that a run can be sent whatever has become of
 * its tests since. The redactor learns the secrets of the configs and of `.env` files. Without a config there is nothing to
 * read, unless one is named. Fails with the codes of configs.
 */
export async function readUploadConfig(
  place: ProjectPlace,
  world: Pick<World, "cwd" | "env" | "redactor"> & Partial<Pick<World, "openModules">>,
): Promise<Result<UploadSettings>> {
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
  return settingsOf(documents);
}

function settingsOf(documents: readonly YamlDocument[]): Result<UploadSettings> {
  const findings = new Findings();
  const parts = documents.flatMap((document): UploadPart[] => {
    const { value } = document;
    if (!isRecord(value)) return [];
    const { project, upload } = value;
    const whole: Section = { document, base: [], value, findings };
    const parsed = upload === undefined ? null : parseSection(subsection(whole, ["upload"], upload), uploadSchema);
    const ofUpload = parsed?.success === true ? parsed.data : undefined;
    return [{ document, project: typeof project === "string" ? project : undefined, upload: ofUpload }];
  });
  if (findings.all.some(({ diagnostic }) => diagnostic.severity === "error")) return failure(errorOf(findings.all));
  return mergeUploads(parts);
}
