import { lazy, named } from "../shape/compound.js";
import { derived, internal, projected } from "../shape/field.js";
import { record } from "../shape/record.js";
import { integer, oneOf, text } from "../shape/scalars.js";
import { leaf, type Shape, type View } from "../shape/shape.js";
import { isRecord, type JsonObject, type JsonValue } from "../values/json.js";
import { originShape } from "./error-origin.js";
import { diagnosticFields } from "./diagnostic-fields.js";
import { errorTable, failureCategories, type Diagnostic } from "./error-table.js";
import { categoryOf, errorNumber, isErrorCode, type ErrorCode, type KindlmError } from "./kindlm-error.js";

/** A new code does not change the format: only a KindLM that knows the code can have written it. */
export const errorCodeShape: Shape<ErrorCode> = leaf(
  "error code",
  { enum: Object.keys(errorTable) },
  "must be the code of an error",
  (stored) => typeof stored === "string" && isErrorCode(stored),
  (code) => code,
);

/** What a provider said, word for word: for `--verbose` only. */
const verboseDetails = new Set(["body", "partialText"]);

export const diagnosticShape: Shape<Diagnostic> = record(
  { code: errorCodeShape, ...diagnosticFields.always },
  diagnosticFields.sometimes,
);

/** What they are depends on the code, and each is read where it is used. */
const detailsShape: Shape<object> = leaf(
  "details",
  { type: "object" },
  "must be an object",
  isRecord,
  (details, view) => view.value(details),
);

function reportedDetails({ details }: Pick<KindlmError, "details">, view: View): JsonValue | undefined {
  if (details === undefined) return undefined;
  const kept = Object.entries(details).filter(([key]) => view.verbose || !verboseDetails.has(key));
  return kept.length === 0 ? undefined : view.value(Object.fromEntries(kept));
}

/** Never reported. Read back with its stack, see `plainError`. */
const causeShape: Shape<Error> = record(
  { name: text, message: text },
  { stack: text, cause: lazy("cause", () => causeShape) },
);

const fields = record(
  {
    code: errorCodeShape,
    number: derived(integer, ({ code }: KindlmError) => errorNumber(code)),
    category: derived(oneOf(failureCategories), categoryOf),
    message: text,
  },
  {
    details: projected(detailsShape, detailsShape, reportedDetails),
    origin: originShape,
    cause: internal(causeShape),
  },
);

/** What the published schema says of an error. */
export const errorSchema = (): JsonObject => fields.schema();

const { of: _type, ...published } = named("error", fields);

/** Which details belong to which code is known to the type alone. */
export const errorShape: Shape<KindlmError> = {
  ...published,
  errorsIn: () => (error, change) => (isRecord(error) ? change(error) : error),
};

function isKindlmError(error: object): error is KindlmError {
  return "code" in error && typeof error.code === "string" && isErrorCode(error.code);
}

/** A value with each error in it changed, wherever it is; the value itself if that changed none. */
export function mapErrors<T>(shape: Shape<T>, value: T, change: (error: KindlmError) => KindlmError): T {
  const changed = shape.errorsIn()?.(value, (error) => (isKindlmError(error) ? change(error) : error));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an error was put where an error was
  return (changed ?? value) as T;
}
