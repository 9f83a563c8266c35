import * as z from "zod";
import { parseDuration } from "../values/duration.js";

/** `500ms`, `30s`, `2m`, `1h` or a number of milliseconds; yields milliseconds. */
export const durationSchema = z.union([z.string(), z.number()]).transform((value, context) => {
  const ms = parseDuration(value);
  if (ms !== null) return ms;
  context.addIssue({
    code: "custom",
    message: `"${value}" is no duration\nWrite 500ms, 30s, 2m, 1h or a number of milliseconds`,
  });
  return z.NEVER;
});
