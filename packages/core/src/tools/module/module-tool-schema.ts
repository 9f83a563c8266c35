import * as z from "../../values/deferred-zod.js";

/** Keys of a tool of a module, in addition to those of every tool. */
export const moduleToolKeys = {
  module: z
    .string()
    .min(1)
    .optional()
    .describe("File and export of your tool or list of tools, such as ./tools.ts#lookup; without # its default export")
    .meta({ examples: ["./tools.ts#lookup"] }),
};

/** The two parts of `./tools.ts#lookup`. */
export function parseModuleSpecifier(written: string): { file: string; exportName: string } {
  const hash = written.lastIndexOf("#");
  if (hash === -1) return { file: written, exportName: "default" };
  return { file: written.slice(0, hash), exportName: written.slice(hash + 1) || "default" };
}
