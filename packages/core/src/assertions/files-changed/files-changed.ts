import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import * as z from "../../values/deferred-zod.js";
import { matchesNameGlob } from "../../values/name-glob.js";
import { evalError, missingField } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";

const type = "files_changed";
const globs = z.array(z.string().min(1)).min(1).optional();

export const filesChanged = defineAssertion({
  type,
  summary: "The agent added, changed or deleted these files of its workspace; .git and node_modules do not count.",
  example: "{ type: files_changed, only: [src/*] }",
  kind: "deterministic",
  spansUserTurns: true,
  options: strictObject({
    only: globs.describe("No other files than these; * stands for any text, slashes included."),
    at_least: globs.describe("A file for each of these, at least."),
    none: z.literal(true).optional().describe("No file at all."),
  }).superRefine(({ only, at_least: atLeast, none }, context) => {
    const hasList = only !== undefined || atLeast !== undefined;
    if (hasList !== (none === true)) return;
    const message = hasList
      ? '"none" cannot be combined with "only" or "at_least"'
      : 'Which files?\nAdd "only", "at_least" or "none: true"';
    context.addIssue({ code: "custom", path: [hasList ? "none" : "only"], message, params: { atKey: true } });
  }),
  evaluate({ only = null, at_least: atLeast = [], none = false }, { workspace }) {
    if (workspace === undefined) return missingField(type, "workspace");
    const changed = workspace.changes
      .filter(({ kind, isExternal }) => kind !== "folder" && isExternal !== true)
      .map(({ path }) => path);
    const allowed = none ? [] : (only ?? ["*"]);
    const stray = changed.filter((path) => !allowed.some((glob) => matchesNameGlob(glob, path)));
    const missing = atLeast.filter((glob) => !changed.some((path) => matchesNameGlob(glob, path)));
    if (workspace.truncated === true && stray.length === 0)
      return evalError(type, "There are too many changes to tell");
    const problems = [
      ...(stray.length === 0 ? [] : [`${stray.slice(0, 10).join(", ")} changed`]),
      ...(missing.length === 0 ? [] : [`${missing.join(", ")} did not`]),
    ];
    const expected = none
      ? "no file"
      : [...(only === null ? [] : [`only ${only.join(", ")}`]), ...atLeast].join(" and ");
    const actual = changed.length === 0 ? "No file changed" : `Changed: ${changed.slice(0, 10).join(", ")}`;
    if (problems.length === 0) return success({ pass: true, score: 1, message: actual });
    const message = `Expected ${expected} to change, but ${problems.join(", and ")}`;
    return success({ pass: false, score: 0, message, expected, actual: changed });
  },
});
