import { caseDocumentSchema, type CaseDocument } from "@kindlm/core/upload";
import * as z from "zod";

type Schema = z.core.$ZodType;

/** The schema without room for keys that it does not name, at any depth. */
function exactly(schema: Schema): Schema {
  if (schema instanceof z.ZodObject) return exactObject(schema.shape);
  if (schema instanceof z.ZodArray) return schema.clone({ ...schema.def, element: exactly(schema.element) });
  if (schema instanceof z.ZodOptional) return z.optional(exactly(schema.unwrap()));
  if (schema instanceof z.ZodNullable) return z.nullable(exactly(schema.unwrap()));
  if (schema instanceof z.ZodLazy) return exactly(schema.unwrap());
  return schema;
}

function exactObject(shape: Readonly<Record<string, Schema>>): Schema {
  return z.strictObject(Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, exactly(value)])));
}

let validators: readonly Schema[] | null = null;

/** Code is generated for them, since an upload has a hundred values in each of a thousand cases. */
function makeValidators(): readonly Schema[] {
  return caseDocumentSchema.options.map(({ shape }) => {
    // Code cannot follow the depth of a transcript.
    const { messages: _messages, transcripts: _transcripts, ...measured } = shape;
    return z.compile(exactObject(measured));
  });
}

/**
 * Whether a value is a case as it is stored: valid, with measurements only, and without a key that would be left out. Most are,
 * and to see that takes a tenth of the time of making another object of it.
 */
export function isMeasuredCase(value: unknown): value is CaseDocument {
  validators ??= makeValidators();
  return validators.some((one) => z.validate(one, value));
}
