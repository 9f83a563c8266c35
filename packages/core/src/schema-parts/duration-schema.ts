import * as z from "../values/deferred-zod.js";
import { parseDuration } from "../values/duration.js";

// Checked below with its own message; editors read the same from the JSON Schema.
const durationText = z.string().meta({ pattern: "^\\s*\\d+(\\.\\d+)?\\s*(ms|s|m|h)?\\s*$" });
const milliseconds = z.number().meta({ minimum: 0 });

/** `500ms`, `30s`, `2m`, `1h` or a number of milliseconds; yields milliseconds. */
export const durationSchema = z.union([durationText, milliseconds]).transform((value, context) => {
  const ms = parseDuration(value);
  if (ms !== null) return ms;
  context.addIssue({
    code: "custom",
    message: `"${value}" is not a valid duration\nUse a number with a unit, such as 500ms, 30s, 2m or 1h`,
  });
  return z.NEVER;
});

/** A duration within which something must be done. */
export const deadlineSchema = durationSchema.refine((ms) => ms > 0, { error: "A deadline must be more than 0" });
