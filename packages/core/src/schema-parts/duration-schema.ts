import * as z from "../values/deferred-zod.js";
import { explainDuration, parseDuration } from "../values/duration.js";

// Checked below with its own messages; editors read the same from the JSON Schema.
const durationText = z.string().meta({ pattern: "^\\s*\\d+(\\.\\d+)?\\s*(ms|s|m|h)\\s*$" });
const withoutUnit = z.number().meta({ const: 0 });

/** `500ms`, `30s`, `2m`, `1h` or 0; yields milliseconds. A number without a unit is rejected with both readings. */
export const durationSchema = z.union([durationText, withoutUnit]).transform((value, context) => {
  const ms = parseDuration(value);
  if (ms !== null) return ms;
  context.addIssue({ code: "custom", message: explainDuration(value).join("\n") });
  return z.NEVER;
});

/** A duration within which something must be done. */
export const deadlineSchema = durationSchema.refine((ms) => ms > 0, { error: "A deadline must be more than 0" });
