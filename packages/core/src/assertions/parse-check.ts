import { resolve } from "node:path";
import { failure, success, type Result } from "../result.js";
import { parseWith } from "../schema-parts/parse-with.js";
import { didYouMean } from "../values/nearest-name.js";
import { commonKeys } from "./common-options.js";
import type { AssertionDefinition, AssertionReference } from "./define-assertion.js";
import { optionKeys } from "./option-keys.js";
import { parseCommon } from "./parse-common.js";
import type { AssertionProblem, ParsedCheck } from "./parsed-assertion.js";
import { findType, typesWith, type RegisteredAssertions } from "./registered-assertions.js";
import { unknownKey } from "./unknown-key.js";

type Problems = readonly AssertionProblem[];

const docs = "See: https://kindlm.com/docs/assertions";
const reservedKeys = new Set(["type", ...commonKeys]);

/** Reads `{ type, … }`. */
export function parseCheck(
  raw: Record<string, unknown>,
  baseDir: string,
  registered: RegisteredAssertions,
): Result<ParsedCheck, Problems> {
  const found = definitionOf(raw, registered);
  if (!found.success) return found;
  const definition = found.data;

  const common = parseCommon(raw);
  const own = ownOptions(raw, definition);
  const parsed = parseWith(definition.options, own.options);
  const problems = [
    ...own.problems,
    ...(common.success ? [] : common.error),
    ...(parsed.success ? [] : parsed.error).map((problem) => ({
      ...problem,
      path: own.asWritten(problem.path),
    })),
  ];
  if (!common.success || !parsed.success || problems.length > 0) return failure(problems);

  const references = definition.references?.(parsed.data) ?? [];
  const toAbsolute = (path: string): string => resolve(baseDir, path);
  return success({
    form: "check",
    type: definition.type,
    ...common.data,
    definition,
    options: definition.resolvePaths ? definition.resolvePaths(parsed.data, toAbsolute) : parsed.data,
    references: own.renamed
      ? references.map((reference): AssertionReference => ({ ...reference, path: own.asWritten(reference.path) }))
      : references,
  });
}

function definitionOf(
  raw: Record<string, unknown>,
  registered: RegisteredAssertions,
): Result<AssertionDefinition, Problems> {
  const { type } = raw;
  if (type === undefined) return failure([missingType(raw, registered)]);
  if (typeof type !== "string") return failure([{ path: ["type"], message: `"type" must be a string`, hint: docs }]);
  const definition = findType(type, registered);
  if (definition) return success(definition);
  const suggestion = didYouMean(type, typesWith(registered));
  const hint = suggestion === undefined ? docs : `${suggestion} ${docs}`;
  return failure([{ path: ["type"], message: `Unknown assertion type "${type}"`, hint }]);
}

/** Someone who leaves out `type` mostly writes it as the key, or misspells it. */
function missingType(raw: Record<string, unknown>, registered: RegisteredAssertions): AssertionProblem {
  const asKey = Object.keys(raw).find((key) => findType(key, registered));
  if (asKey !== undefined) {
    const hint = `Write ${findType(asKey, registered)?.example ?? `{ type: ${asKey} }`}`;
    return { path: [asKey], message: `"type" is missing`, hint, atKey: true };
  }
  for (const key of Object.keys(raw)) {
    const suggestion = commonKeys.includes(key) ? undefined : didYouMean(key, ["type", "all_of", "any_of", "at_least"]);
    if (suggestion !== undefined)
      return { path: [key], message: `Unknown key "${key}"`, hint: suggestion, atKey: true };
  }
  return { path: [], message: `"type" is missing`, hint: docs };
}

interface OwnOptions {
  options: Record<string, unknown>;
  problems: AssertionProblem[];
  /** True when `schemaFile` stands for `schema_file`. */
  renamed: boolean;
  asWritten(path: AssertionProblem["path"]): AssertionProblem["path"];
}

function ownOptions(raw: Record<string, unknown>, definition: AssertionDefinition): OwnOptions {
  const keys = optionKeys(definition);
  const written = Object.entries(raw).filter(([key]) => !reservedKeys.has(key));
  if (keys === null) {
    return { options: Object.fromEntries(written), problems: [], renamed: false, asWritten: (path) => path };
  }
  const renamed = Object.hasOwn(raw, "schemaFile") && keys.includes("schema_file");
  const options: Record<string, unknown> = {};
  const problems: AssertionProblem[] = [];
  for (const [key, value] of written) {
    if (keys.includes(key)) options[key] = value;
    else if (!(renamed && key === "schemaFile")) problems.push(unknownKey(key, [...keys, ...commonKeys]));
  }
  if (renamed && Object.hasOwn(options, "schema_file")) {
    problems.push({ path: ["schemaFile"], message: `"schemaFile" repeats "schema_file"`, atKey: true });
  } else if (renamed) {
    options["schema_file"] = raw["schemaFile"];
  }
  return {
    options,
    problems,
    renamed,
    asWritten: (path) => (renamed && path[0] === "schema_file" ? ["schemaFile", ...path.slice(1)] : path),
  };
}
