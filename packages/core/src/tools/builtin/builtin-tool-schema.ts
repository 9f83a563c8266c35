import * as z from "../../values/deferred-zod.js";
import { nearestName } from "../../values/nearest-name.js";
import type { BuiltinToolConfig } from "../tool-config.js";
import { builtinNames, builtinsLike } from "./registry.js";

const nameSchema = z.string().superRefine((written, context) => {
  if (builtinsLike(written).length > 0) return;
  const nearest = nearestName(written, builtinNames);
  const hint = nearest === null ? `Built-in tools: ${builtinNames.join(", ")}` : `Did you mean "${nearest}"?`;
  context.addIssue({ code: "custom", message: `Built-in tool "${written}" not found\n${hint}` });
});

/** The key of built-in tools. */
export const builtinToolKeys = {
  builtin: z
    .union([nameSchema, z.array(nameSchema).min(1)])
    .optional()
    .describe("A tool that KindLM brings, several, or a glob of their names")
    .meta({ examples: ["fs_read", ["fs_*", "bash_run"]] }),
};

/** What a built-in tool has in its own way. */
const ownKeys = ["name", "description", "parameters", "result_schema", "attributes"] as const;

type Written = { builtin?: string | string[] | undefined } & { [Key in (typeof ownKeys)[number]]?: unknown };

export function toBuiltinTool(
  written: Written,
  overrides: BuiltinToolConfig["overrides"],
  context: z.RefinementCtx,
): BuiltinToolConfig {
  for (const key of ownKeys) {
    if (written[key] === undefined) continue;
    const message = `"${key}" of a built-in tool cannot be changed\nRemove it`;
    context.addIssue({ code: "custom", message, path: [key], params: { atKey: true } });
  }
  const globs = [written.builtin ?? []].flat();
  return { kind: "builtin", name: null, names: [...new Set(globs.flatMap(builtinsLike))], overrides };
}
