import type { ErrorObject } from "ajv";
import { isRecord } from "../values/json.js";
import { preview, renderPath } from "../values/preview.js";
import type { SchemaViolation } from "./schema-validator.js";

const most = 100;

/** What ajv found in `value` (with `verbose`), in KindLM's paths and words. */
export function violationsOf(errors: readonly ErrorObject[], value: unknown): readonly SchemaViolation[] {
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
