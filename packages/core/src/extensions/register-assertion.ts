import { callCheck } from "../assertions/module/call-check.js";
import { commonKeys } from "../assertions/common-options.js";
import { defineAssertion, type AssertionDefinition } from "../assertions/define-assertion.js";
import { assertionTypes } from "../assertions/registry.js";
import { failure, success, type Result } from "../result.js";
import { strictObject } from "../schema-parts/strict-object.js";
import type { FoundExtension } from "./extension-action.js";
import { nameProblem, optionsShape } from "./options-schema.js";

/** Keys that mean something else in an entry of `assert:`. */
const takenKeys: ReadonlySet<string> = new Set(["type", "all_of", "any_of", "at_least", "of", ...commonKeys]);

/**
 * The assertion type that an export of a module declares, with a schema made of its options. It is evaluated in the
 * worker. Fails with what is wrong with the declaration.
 */
export function registerAssertion(
  file: string,
  { exportName, declared }: FoundExtension,
): Result<AssertionDefinition, string> {
  const type = String(declared["type"]);
  const problem = nameProblem("type", declared["type"]);
  if (problem !== null) return failure(problem);
  if (assertionTypes.includes(type)) return failure(`"${type}" is the type of a built-in assertion`);
  const shape = optionsShape(declared["options"], takenKeys, "assertion");
  if (!shape.success) return shape;
  return success(
    defineAssertion<unknown>({
      type,
      summary: String(declared["summary"]),
      example: `{ type: ${type} }`,
      kind: "deterministic",
      options: strictObject(shape.data),
      // The case has another identity once the module has changed.
      references: () => [{ kind: "module", file, path: ["type"] }],
      evaluate: (given, trial, context) =>
        callCheck({ type, file, exportName, options: given, name: `The assertion "${type}"` }, trial, context),
    }),
  );
}
