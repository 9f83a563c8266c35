import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { runResultJsonSchema } from "../../packages/core/src/reporters/json/run-result-schema.js";

let validate: ValidateFunction | null = null;

/** Where a JSON report is not as its schema says. The schema is large, and is compiled once for all test files. */
export function reportErrors(report: unknown): readonly ErrorObject[] {
  validate ??= new Ajv({ allErrors: true, strict: false, validateFormats: false }).compile(runResultJsonSchema());
  validate(report);
  return validate.errors ?? [];
}
