import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { expect } from "vitest";
import { repository } from "./run-cli.js";

const schema = JSON.parse(readFileSync(join(repository, "schemas", "run-result.schema.json"), "utf8")) as object;

/** Compiled once: it takes longer than most tests. */
const validate = new Ajv({ allErrors: true, strict: false, validateFormats: false }).compile(schema);

/** Holds a JSON report to its published schema. */
export function expectPublishedReport(report: unknown): void {
  validate(report);
  expect(validate.errors ?? []).toEqual([]);
}
