import { failure, success, type Result } from "../result.js";
import { isRecord } from "../values/json.js";
import { commonKeys } from "./common-options.js";
import { parseCheck } from "./parse-check.js";
import { parseCommon } from "./parse-common.js";
import type { AssertionProblem, ParsedAssertion, ParsedGroup } from "./parsed-assertion.js";
import { findType, noneRegistered, type RegisteredAssertions } from "./registered-assertions.js";
import { unknownKey } from "./unknown-key.js";

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
    hint: 'Put the list under "of"',
  });
  return 1;
}
