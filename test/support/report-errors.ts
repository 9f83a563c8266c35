import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { repository } from "./run-cli.js";

let validate: ValidateFunction | null = null;

/** Where a JSON report is not as its published schema says. The schema is large, and is compiled once for all test files. */
export function reportErrors(report: unknown): readonly ErrorObject[] {
  // To make the code of the schema smaller would take as long as to make it.
  const code = { optimize: false };
  validate ??= new Ajv({ allErrors: true, strict: false, validateFormats: false, code }).compile(publishedSchema());
  validate(report);
  return validate.errors ?? [];
}

function publishedSchema(): object {
  return JSON.parse(readFileSync(join(repository, "schemas", "run-result.schema.json"), "utf8")) as object;
}
