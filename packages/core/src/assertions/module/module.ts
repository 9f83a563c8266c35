import * as z from "../../values/deferred-zod.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { defineAssertion } from "../define-assertion.js";
import { callCheck } from "./call-check.js";

interface ModuleOptions {
  file: string;
  exportName: string;
  with: unknown;
}

const specifier = z
  .string()
  .min(1)
  .describe("File and export of your function, such as ./checks.ts#isPolite; without # its default export.");

export const module = defineAssertion<ModuleOptions>({
  type: "module",
  summary: "Your own function, given the trial, returns true, a score of at least 0.5, or an object with pass: true.",
  example: '{ type: module, module: "./checks.ts#isPolite", with: { language: en } }',
  kind: "deterministic",
  options: strictObject({
    module: specifier,
    with: z.unknown().optional().describe("Handed to the function as its second argument."),
  }).transform((written): ModuleOptions => {
    const hash = written.module.lastIndexOf("#");
    const file = hash === -1 ? written.module : written.module.slice(0, hash);
    const exportName = hash === -1 ? "default" : written.module.slice(hash + 1) || "default";
    return { file, exportName, with: written.with };
  }),
  references: ({ file }) => [{ kind: "module", file, path: ["module"] }],
  resolvePaths: (options, resolve) => ({ ...options, file: resolve(options.file) }),
  evaluate({ file, exportName, with: options }, trial, context) {
    const name = exportName === "default" ? "The check" : exportName;
    return callCheck({ type: "module", file, exportName, options, name }, trial, context);
  },
});
