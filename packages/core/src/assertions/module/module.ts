import * as z from "../../values/deferred-zod.js";
import { failure, success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { attempt, messageOf } from "../../errors/boundary.js";
import { renderDuration } from "../../values/duration.js";
import { evalError } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";
import type { Check } from "./define-check.js";
import { race } from "./race.js";
import { readVerdict } from "../read-verdict.js";

interface ModuleOptions {
  file: string;
  exportName: string;
  with: unknown;
}

const specifier = z
  .string()
  .min(1)
  .describe("File and export of your own function, such as ./checks.ts#isPolite; without # its default export.");

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
  async evaluate({ file, exportName, with: options }, trial, context) {
    const loaded = await context.loadExport(file, exportName);
    if (!loaded.success) return loaded;
    const check = loaded.data;
    if (!isCheck(check)) return evalError("module", `The export "${exportName}" of ${file} is no function`);

    const name = exportName === "default" ? "The check" : exportName;
    const raced = await attempt(
      () => race(() => check(trial, options), context),
      (cause) => evalError("module", `${name} of ${file} threw: ${messageOf(cause)}`, cause).error,
    );
    if (!raced.success) return raced;
    if (!raced.data.done) {
      const { reason } = raced.data;
      const message =
        reason === "timeout"
          ? `${name} of ${file} did not answer within ${renderDuration(context.timeoutMs)}`
          : `${name} of ${file} was interrupted`;
      return evalError("module", message);
    }
    const verdict = readVerdict(raced.data.value, name);
    if (verdict.success) return success(verdict.data);
    return failure(evalError("module", `What ${name} of ${file} returned is no verdict: ${verdict.error}`).error);
  },
});

function isCheck(value: unknown): value is Check {
  return typeof value === "function";
}
