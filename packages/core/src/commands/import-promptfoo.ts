import { dirname, resolve } from "node:path";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { convertConfig, type ConvertedConfig } from "../promptfoo-import/convert-config.js";
import { SourceFolder } from "../promptfoo-import/source/source-folder.js";
import { isRecord } from "../values/json.js";
import { failure, success, type Result } from "../result.js";

export type { ConvertedConfig } from "../promptfoo-import/convert-config.js";
export type { ImportFinding } from "../promptfoo-import/findings.js";

/** The names under which promptfoo finds a config. */
const names = ["promptfooconfig.yaml", "promptfooconfig.yml", "promptfooconfig.json"];

export interface ImportPromptfooOptions {
  /** The config. Default: the one in the working folder. */
  file?: string;
}

/**
 * Converts a config of promptfoo into one of KindLM. What has no counterpart is a comment at its place, and a finding. Fails
 * with CONFIG_NOT_FOUND or CONFIG_PARSE_ERROR if the file cannot be read.
 */
export async function importPromptfoo(
  { file }: ImportPromptfooOptions,
  { cwd }: { cwd: string },
): Promise<Result<ConvertedConfig>> {
  const tried = file === undefined ? names : [file];
  let problem: KindlmError | null = null;
  for (const name of tried) {
    const path = resolve(cwd, name);
    const folder = new SourceFolder(dirname(path), cwd);
    const read = await folder.data(path);
    if (read.success) {
      if (isRecord(read.data.value)) return success(await convertConfig(read.data, folder));
      return failure(kindlmError("CONFIG_PARSE_ERROR", `${name} is not a config of promptfoo: expected an object`));
    }
    const message = `${name} ${read.error}`;
    if (read.error !== "does not exist") return failure(kindlmError("CONFIG_PARSE_ERROR", message));
    problem ??= kindlmError("CONFIG_NOT_FOUND", message, { details: { path: name } });
  }
  return failure(problem ?? kindlmError("CONFIG_NOT_FOUND", "promptfooconfig.yaml does not exist"));
}
