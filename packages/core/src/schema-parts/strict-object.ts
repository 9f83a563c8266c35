import * as z from "zod";
import { didYouMean } from "../values/nearest-name.js";

/**
 * A mapping that takes the keys of `shape` and no other. An unknown key is reported as `Unknown key "x"`, with the
 * nearest valid one on a second line.
 */
export function strictObject<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return undefined;
      return issue.keys
        .map((key) => {
          const suggestion = didYouMean(key, Object.keys(shape)) ?? `Valid keys: ${Object.keys(shape).join(", ")}`;
          return `Unknown key "${key}"\n${suggestion}`;
        })
        .join("\u0000");
    },
  });
}
