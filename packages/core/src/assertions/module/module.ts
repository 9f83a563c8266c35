import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { renderDuration } from "../../values/duration.js";
import { evalError } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";
import { checkAction } from "./check-action.js";
import { race, type GivenUp } from "./race.js";

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
  async evaluate({ file, exportName, with: options }, trial, context) {
    const name = exportName === "default" ? "The check" : exportName;
    const called = `${name} of ${file}`;
    const what = `check ${file}#${exportName}`;
    const blocker = (): string | null => context.modules.blockedBy(what);
    const raced = await race(
      (signal) =>
        context.modules.call({
          action: checkAction,
          file,
          exportName,
          what,
          input: { trial, options, name },
          signal,
          isRepeatable: true,
        }),
      context,
      // What waits for another check to be ended has not had its own time yet.
      () => blocker() !== null,
    );
    if (!raced.done) return evalError("module", `${called} ${givenUp(raced.reason, context.timeoutMs, blocker())}`);
    const outcome = raced.value;
    if (!outcome.success) {
      const { how, message, cause } = outcome.error;
      if (how === "missing") return evalError("module", message, cause);
      if (how === "unfit") return evalError("module", `The export "${exportName}" of ${file} ${message}`);
      return evalError("module", `${called} ${how === "threw" ? "threw: " : ""}${message}`, cause);
    }
    const verdict = outcome.data;
    if (verdict.success) return success(verdict.data);
    return evalError("module", `The result of ${called} is not a verdict: ${verdict.error}`);
  },
});

function givenUp(reason: GivenUp, timeoutMs: number, blocker: string | null): string {
  if (reason === "abort") return "was interrupted";
  return `did not answer within ${renderDuration(timeoutMs)}${blocker === null ? "" : `, because the ${blocker} kept the worker busy`}`;
}
