import { extname } from "node:path";
import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { failure, success, type Result } from "../result.js";
import { isRecord, type JsonObject } from "../values/json.js";
import { compileSchema } from "./compile-schema.js";
import type { SchemaValidator } from "./schema-validator.js";
import { jsonLimitOf } from "../values/parse-json.js";
import { mebibyte, readText } from "../files/open-for-reading.js";

/** As of a config. */
const mostBytes = 10 * mebibyte;

/**
 * Reads and compiles JSON Schema files, each path once for as long as the loader lives. Files ending in `.yaml` or
 * `.yml` are YAML, all others JSON. Fails with SCHEMA_FILE_ERROR, whose `details.path` is the file as it was given.
 */
export function createSchemaLoader(): (file: string) => Promise<Result<SchemaValidator>> {
  const loaded = new Map<string, Promise<Result<SchemaValidator>>>();
  return (file) => {
    let validator = loaded.get(file);
    if (validator === undefined) {
      validator = loadSchema(file);
      loaded.set(file, validator);
    }
    return validator;
  };
}

async function loadSchema(file: string): Promise<Result<SchemaValidator>> {
  const text = await attempt(
    () => readText(file, mostBytes),
    (cause) => {
      const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
      return isMissing
        ? fileError(file, `Schema file not found: ${file}`, cause)
        : fileError(file, `Schema file ${file} cannot be read: ${messageOf(cause)}`, cause);
    },
  );
  if (!text.success) return text;
  const parsed = await attempt(
    () => parse(file, text.data),
    (cause) => fileError(file, `Schema file ${file} cannot be parsed: ${messageOf(cause)}`, cause),
  );
  if (!parsed.success) return parsed;
  if (!isSchema(parsed.data)) {
    return failure(fileError(file, `Schema file ${file} holds no JSON Schema: an object or a boolean is expected`));
  }
  const compiled = compileSchema(parsed.data);
  if (compiled.success) return success(compiled.data);
  return failure(fileError(file, `Schema file ${file}: ${compiled.error.message}`, compiled.error.cause));
}

async function parse(file: string, text: string): Promise<unknown> {
  const content = text.startsWith("\ufeff") ? text.slice(1) : text;
  const isYaml = [".yaml", ".yml"].includes(extname(file).toLowerCase());
  const value: unknown = isYaml ? (await import("yaml")).parse(content) : JSON.parse(content);
  const limit = jsonLimitOf(value);
  return limit === null ? value : Promise.reject(new RangeError(`it is ${limit}`));
}

function isSchema(value: unknown): value is JsonObject | boolean {
  return typeof value === "boolean" || isRecord(value);
}

function fileError(file: string, message: string, cause?: unknown): KindlmError {
  return kindlmError("SCHEMA_FILE_ERROR", message, { details: { path: file }, cause });
}
