import { failure, success, type Result } from "../result.js";
import { isRecord } from "../values/json.js";
import { commonKeys, commonOptions } from "./common-options.js";
import type { AssertionProblem, ParsedAssertion, ParsedGroup, ParsedCheck } from "./parsed-assertion.js";
import { findType, noneRegistered, typesWith, type RegisteredAssertions } from "./registered-assertions.js";
import { unknownKey, wordOfOthers } from "./unknown-key.js";
import { resolve } from "node:path";
import { parseWith, withoutMissed } from "../schema-parts/parse-with.js";
import { didYouMean } from "../values/nearest-name.js";
import type { AssertionDefinition, AssertionReference } from "./define-assertion.js";
import * as z from "../values/deferred-zod.js";
import { whenProblems } from "./when-problems.js";

const cache = new WeakMap<AssertionDefinition, readonly string[] | null>();

const docs = "See: https://kindlm.com/docs/assertions";
const reservedKeys = new Set(["type", ...commonKeys]);

const defaults: CommonParts = { not: false, weight: 1, when: null };

type Problems = readonly AssertionProblem[];

const groupKinds = ["all_of", "any_of", "at_least"] as const;

type GroupKind = (typeof groupKinds)[number];

/**
 * Reads one entry of `assert:`: a check `{ type, … }` or a group `{ all_of }`, `{ any_of }`, `{ at_least, of }`.
 * Relative paths in it are made absolute from `baseDir`. Fails with every problem, each with its path into the entry.
 */
export function parseAssertion(
  raw: unknown,
  baseDir: string,
  registered: RegisteredAssertions = noneRegistered,
): Result<ParsedAssertion, Problems> {
  if (!isRecord(raw)) return failure([notAMapping(raw, registered)]);
  const kind = Object.hasOwn(raw, "type") ? undefined : groupKinds.find((key) => Object.hasOwn(raw, key));
  if (kind === undefined) return parseCheck(raw, baseDir, registered);
  return parseGroup(raw, kind, (member) => parseAssertion(member, baseDir, registered));
}

function notAMapping(raw: unknown, registered: RegisteredAssertions): AssertionProblem {
  const named = typeof raw === "string" ? findType(raw, registered) : undefined;
  const hint = `Write ${named?.example ?? "{ type: contains, value: hello }"}`;
  return { path: [], message: "An assertion must be an object", hint };
}

type ParseMember = (raw: unknown) => Result<ParsedAssertion, Problems>;

function parseGroup(
  raw: Record<string, unknown>,
  kind: GroupKind,
  parseMember: ParseMember,
): Result<ParsedGroup, Problems> {
  const listKey = kind === "at_least" ? "of" : kind;
  const keys = [...new Set([kind, listKey, ...commonKeys])];
  const problems: AssertionProblem[] = Object.keys(raw)
    .filter((key) => !keys.includes(key))
    .map((key) => unknownKey(key, keys));

  const common = parseCommon(raw);
  if (!common.success) problems.push(...common.error);
  const members = parseMembers(raw[listKey], listKey, parseMember, problems);
  const required = requiredOf(raw, kind, members.length, problems);
  if (!common.success || problems.length > 0) return failure(problems);
  return success({ form: "group", type: kind, ...common.data, required, members });
}

function parseMembers(
  list: unknown,
  listKey: string,
  parseMember: ParseMember,
  problems: AssertionProblem[],
): readonly ParsedAssertion[] {
  if (!Array.isArray(list) || list.length === 0) {
    problems.push({ path: [listKey], message: `"${listKey}" must be a list of at least one assertion` });
    return [];
  }
  return list.flatMap((item, index) => {
    const member = parseMember(item);
    if (member.success) return [member.data];
    problems.push(...member.error.map((problem) => ({ ...problem, path: [listKey, index, ...problem.path] })));
    return [];
  });
}

function requiredOf(
  raw: Record<string, unknown>,
  kind: GroupKind,
  members: number,
  problems: AssertionProblem[],
): number {
  if (kind === "all_of") return members;
  if (kind === "any_of") return 1;
  const written = raw["at_least"];
  const size = Array.isArray(raw["of"]) ? raw["of"].length : 0;
  if (typeof written === "number" && Number.isInteger(written) && written >= 1) {
    if (size > 0 && written > size) {
      const message = `"at_least" is ${written}, but "of" lists only ${size}`;
      problems.push({ path: ["at_least"], message });
    }
    return written;
  }
  problems.push({
    path: ["at_least"],
    message: `"at_least" must be a whole number from 1`,
    ...(Array.isArray(written) ? { hint: 'Put the list under "of"' } : {}),
  });
  return 1;
}

/** Reads `{ type, … }`. */
function parseCheck(
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
  if (!common.success || !parsed.success || own.problems.length > 0) {
    const inOptions = parsed.success ? [] : parsed.error;
    return failure(
      withoutMissed([
        ...own.problems,
        ...(common.success ? [] : common.error),
        ...inOptions.map((problem) => ({ ...problem, path: own.asWritten(problem.path) })),
      ]),
    );
  }

  const references = definition.references?.(parsed.data) ?? [];
  const toAbsolute = (path: string): string => resolve(baseDir, path);
  return success({
    form: "check",
    type: definition.type,
    definition,
    options: definition.resolvePaths ? definition.resolvePaths(parsed.data, toAbsolute) : parsed.data,
    references: own.renamed
      ? references.map((reference): AssertionReference => ({ ...reference, path: own.asWritten(reference.path) }))
      : references,
    // Last, since V8 of Node 20 takes long to add keys to a copy, and rows of datasets have theirs case by case.
    ...common.data,
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
  const suggestion = wordOfOthers(type) ?? didYouMean(type, typesWith(registered));
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

/** The keys that a type takes besides those of every assertion; null if its schema does not say. */
export function optionKeys(definition: AssertionDefinition): readonly string[] | null {
  const known = cache.get(definition);
  if (known !== undefined) return known;
  const keys = z.objectKeys(definition.options);
  cache.set(definition, keys);
  return keys;
}

type CommonParts = Omit<Extract<ParsedAssertion, { form: "group" }>, "form" | "type" | "required" | "members">;

/** Reads the keys that every assertion takes and leaves the others alone. */
function parseCommon(raw: Record<string, unknown>): Result<CommonParts, readonly AssertionProblem[]> {
  // Most assertions have none, and those of a dataset are parsed once per case.
  if (!commonKeys.some((key) => Object.hasOwn(raw, key))) return success(defaults);

  const present = commonKeys.filter((key) => Object.hasOwn(raw, key));
  const written = Object.fromEntries(present.map((key) => [key, raw[key]]));
  const parsed = parseWith(commonOptions, written);
  const inWhen = parsed.success && parsed.data.when !== undefined ? whenProblems(raw["when"]) : [];
  if (!parsed.success) return parsed;
  if (inWhen.length > 0) return failure(inWhen);

  const { not = false, weight = 1, when = null, id, agent, user_turn: userTurn } = parsed.data;
  const parts: CommonParts = { not, weight, when };
  if (id !== undefined) parts.id = id;
  if (userTurn !== undefined) parts.userTurn = userTurn;
  if (agent !== undefined) parts.agent = agent;
  return success(parts);
}
