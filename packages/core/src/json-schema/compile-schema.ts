import type { Ajv, ErrorObject } from "ajv";
import { attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { isSmall, withinTime } from "../matchers/within-time.js";
import { failure, success, type Result } from "../result.js";
import { isRecord, type JsonObject } from "../values/json.js";
import { createAjv, SharedAjv, type Draft } from "./create-ajv.js";
import { findSchemaSlips } from "./find-schema-slips.js";
import { isObviouslyValidSchema } from "./is-obviously-valid-schema.js";
import type { SchemaValidator, SchemaViolation } from "./schema-validator.js";
import { preview, renderPath } from "../values/preview.js";

const compiledSchemas = new WeakMap<JsonObject, Result<SchemaValidator>>();
const metaValidators = new Map<Draft, Ajv>();
const shared = new SharedAjv();

const most = 100;

/**
 * Compiles a JSON Schema, once per object: draft-07 or 2019-09 where `$schema` says so, 2020-12 otherwise. Formats are
 * checked; unknown keywords and formats are not an error. Fails with SCHEMA_FILE_ERROR.
 */
export function compileSchema(schema: JsonObject | boolean): Result<SchemaValidator> {
  if (typeof schema === "boolean") return success(booleanValidator(schema));
  const known = compiledSchemas.get(schema);
  if (known !== undefined) return known;
  const compiled = compile(schema);
  compiledSchemas.set(schema, compiled);
  return compiled;
}

function compile(schema: JsonObject): Result<SchemaValidator> {
  const draft = draftOf(schema["$schema"]);
  if (!draft.success) return invalid(draft.error);
  const isPlain = isObviouslyValid(schema);
  if (!isPlain) {
    const [problem] = metaViolations(schema, draft.data);
    if (problem !== undefined) {
      return invalid(`${problem.path === "" ? "it" : problem.path} ${problem.message}`);
    }
  }
  // With branches that lead back to the schema, each level of a value may take twice the time of the one above it.
  const text = JSON.stringify(schema);
  const mayRecur = /"\$(?:ref|dynamicRef|recursiveRef)":/.test(text);
  const isAlone = isPlain && !mayRecur && !text.includes('"$id":');
  return attemptSync(
    () => {
      const validate = isAlone ? shared.compile(draft.data, schema) : createAjv(draft.data).compile(schema);
      return {
        validate: (value: unknown) =>
          withinTime(
            () => !mayRecur && isSmall(value),
            () => (validate(value) ? [] : violationsOf(validate.errors ?? [], value)),
          ),
        slips: () => findSchemaSlips(schema),
      };
    },
    (cause) => {
      return kindlmError("SCHEMA_FILE_ERROR", `The JSON Schema is not valid: ${reasonOf(cause)}`, { cause });
    },
  );
}

function isObviouslyValid(schema: JsonObject): boolean {
  const { $schema: _draft, ...rest } = schema;
  return isObviouslyValidSchema(rest);
}

function metaViolations(schema: JsonObject, draft: Draft): readonly SchemaViolation[] {
  let ajv = metaValidators.get(draft);
  if (ajv === undefined) {
    // One instance for all schemas is safe here: it validates them as data and never compiles them.
    ajv = createAjv(draft, { validateSchema: "log" });
    metaValidators.set(draft, ajv);
  }
  const declared = { ...schema, $schema: metaIds[draft] };
  return ajv.validateSchema(declared) === true ? [] : violationsOf(ajv.errors ?? [], declared);
}

const metaIds: Readonly<Record<Draft, string>> = {
  "draft-07": "http://json-schema.org/draft-07/schema",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
};

function draftOf(declared: unknown): Result<Draft, string> {
  if (declared === undefined) return success("2020-12");
  if (typeof declared !== "string") return failure("$schema must be a string");
  const address = declared.replace(/^https?:\/\//, "").replace(/#$/, "");
  switch (address) {
    case "json-schema.org/draft/2020-12/schema":
    case "json-schema.org/schema":
      return success("2020-12");
    case "json-schema.org/draft/2019-09/schema":
      return success("2019-09");
    case "json-schema.org/draft-07/schema":
    case "json-schema.org/draft-06/schema":
      return success("draft-07");
    default:
      return failure(`$schema "${declared}" is not supported; use draft-07, 2019-09 or 2020-12`);
  }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof Error && "missingRef" in cause && typeof cause.missingRef === "string") {
    return `$ref "${cause.missingRef}" does not resolve; a reference must stay within its schema, nothing is fetched`;
  }
  return messageOf(cause);
}

function invalid(reason: string): Result<never> {
  return failure(kindlmError("SCHEMA_FILE_ERROR", `The JSON Schema is not valid: ${reason}`));
}

function booleanValidator(accepts: boolean): SchemaValidator {
  return {
    validate: (value) =>
      accepts ? [] : [{ path: "", message: "must not be there: the schema is false", actual: value }],
  };
}

/** What ajv found in `value` (with `verbose`), in KindLM's paths and words. */
function violationsOf(errors: readonly ErrorObject[], value: unknown): readonly SchemaViolation[] {
  // A failed `if` only says that a branch failed, which the branch says better.
  const telling = errors.filter((error) => error.keyword !== "if");
  return (telling.length > 0 ? telling : errors).slice(0, most).map((error) => ({
    path: renderPath(stepsOf(error, value)),
    message: messageFor(error),
    actual: error.data,
  }));
}

/** A pointer does not say whether a step such as `0` is an index or a key; the value does. */
function stepsOf(error: ErrorObject, value: unknown): (string | number)[] {
  const steps: (string | number)[] = [];
  let current = value;
  for (const raw of error.instancePath.split("/").slice(1)) {
    const step = raw.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(current)) {
      steps.push(Number(step));
      current = current[Number(step)];
    } else {
      steps.push(step);
      current = isRecord(current) ? current[step] : undefined;
    }
  }
  return steps;
}

function messageFor(error: ErrorObject): string {
  const params: Record<string, unknown> = isRecord(error.params) ? error.params : {};
  const found = preview(error.data, 60);
  switch (error.keyword) {
    case "required":
      return `must have the property "${String(params["missingProperty"])}"`;
    case "additionalProperties":
      return `must not have the property "${String(params["additionalProperty"])}"`;
    case "unevaluatedProperties":
      return `must not have the property "${String(params["unevaluatedProperty"])}"`;
    case "enum":
      return `must be one of ${listOf(params["allowedValues"])}, but is ${found}`;
    case "const":
      return `must be ${preview(params["allowedValue"])}, but is ${found}`;
    case "type":
      return `must be of type ${typesOf(params["type"])}, but is ${found}`;
    case "format":
      return `must be a valid ${String(params["format"])}, but is ${found}`;
    case "pattern":
      return `must match /${String(params["pattern"])}/, but is ${found}`;
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
    case "multipleOf":
      return `${error.message ?? "is out of bounds"}, but is ${found}`;
    case "propertyNames":
      return `must not have a property named "${String(params["propertyName"])}"`;
    case "dependentRequired":
    case "dependencies":
      return `must have the property "${String(params["missingProperty"])}" next to "${String(params["property"])}"`;
    case "oneOf":
      return Array.isArray(params["passingSchemas"])
        ? "must match exactly one of the schemas of oneOf, but matches more"
        : "must match one of the schemas of oneOf";
    case "anyOf":
      return "must match one of the schemas of anyOf";
    case "not":
      return `must not match the schema of not, but is ${found}`;
    case "false schema":
      return "must not be there";
    default:
      return error.message ?? `must satisfy ${error.keyword}`;
  }
}

function listOf(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => preview(value, 60)).join(", ") : preview(values);
}

function typesOf(type: unknown): string {
  return Array.isArray(type) ? type.join(" or ") : String(type);
}
