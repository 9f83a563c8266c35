import { permissionLists } from "../../tools/permissions/permission-schema.js";
import { isRecord } from "../../values/json.js";
import { matchesNameGlob } from "../../values/name-glob.js";
import { didYouMean } from "../../values/nearest-name.js";
import type { WrittenSuite, WrittenTest } from "../schema/suite-schema.js";
import { report, type Section } from "../source/section.js";
import type { Path } from "../source/written.js";
import type { TemplateText } from "./check-placeholders.js";
import type { KnownTools } from "./resolve-tools.js";
import type { TestScope } from "./test-scope.js";

/** Where `permissions` and `approvals` of a test are written. */
interface PermissionLevels {
  /** The test. */
  section: Section;
  test: WrittenTest;
  suite: WrittenSuite;
  suiteSection: Section;
}

type Key = "permissions" | "approvals";

/** `areOfAgent`: the agent is a program, which may have other tools, too. */
type PermittedTools = KnownTools & { areOfAgent: boolean };

/** The nearest level that has the key, with the findings of the test; null if none has it. */
function levelOf({ section, test, suite, suiteSection }: PermissionLevels, key: Key): Section | null {
  if (test[key] !== undefined) return section;
  return suite[key] === undefined ? null : { ...suiteSection, findings: section.findings };
}

/**
 * Reports permissions that no tool of the test can meet, and approvals that nothing asks for. Returns their matchers,
 * which are filled in for each case.
 */
export function checkPermissions(
  section: Section,
  test: WrittenTest,
  { suite, section: suiteSection, scope }: Pick<TestScope, "suite" | "section" | "scope">,
  tools: PermittedTools,
): TemplateText[] {
  const levels = { section, test, suite, suiteSection };
  checkLevels(levels, tools, (scope.written.plugins?.length ?? 0) > 0);

  return (["permissions", "approvals"] as const).flatMap((key) => {
    const level = levelOf(levels, key);
    if (level === null || !isRecord(level.value)) return [];
    return [{ value: level.value[key], section: level, path: [key] }];
  });
}

/** `mayAsk`: plugins may ask for an approval of any call. */
function checkLevels(levels: PermissionLevels, tools: PermittedTools, mayAsk: boolean): void {
  const { test, suite } = levels;
  const permissions = test.permissions ?? suite.permissions;
  const approvals = test.approvals ?? suite.approvals;
  const [ofPermissions, ofApprovals] = [levelOf(levels, "permissions"), levelOf(levels, "approvals")];
  if (tools.areAll && tools.names.length === 0) {
    for (const [key, section] of [
      ["permissions", ofPermissions],
      ["approvals", ofApprovals],
    ] as const) {
      if (section === null) continue;
      const message = `"${key}" has no effect: KindLM runs no tools in test "${test.name}"`;
      const hint = "Add tools: to the suite; what an agent runs by itself cannot be kept from running";
      report(section, { path: [key], atKey: true, message, hint });
    }
    return;
  }
  if (permissions !== undefined && ofPermissions !== null) {
    for (const list of permissionLists) {
      for (const [index, { tool }] of permissions[list].entries()) {
        checkTool(ofPermissions, ["permissions", list, index], tool, tools);
      }
    }
  }
  if (approvals === undefined || ofApprovals === null) return;
  for (const [index, { tool }] of approvals.entries()) checkTool(ofApprovals, ["approvals", index], tool, tools);
  const asks = permissions !== undefined && (permissions.mode === "approval" || permissions.ask.length > 0);
  if (asks || mayAsk || approvals.length === 0) return;
  report(ofApprovals, {
    path: ["approvals"],
    atKey: true,
    severity: "warning",
    message: '"approvals" has no effect: nothing asks for an approval',
    hint: "Add permissions with mode: approval, or with a list under ask",
  });
}

/** `at`: a rule, which is a name or an object with the key `tool`. */
function checkTool(section: Section, at: Path, name: string, { names, areAll, areOfAgent }: PermittedTools): void {
  // A tool that is not known by name yet may be the one that is meant, and a rule for all tools is about every one.
  if (!areAll || areOfAgent || /^\*+$/.test(name) || names.some((tool) => matchesNameGlob(name, tool))) return;
  const isGlob = /[*?]/.test(name);
  report(section, {
    path: isObjectAt(section.value, at) ? [...at, "tool"] : at,
    severity: isGlob ? "warning" : "error",
    message: isGlob ? `No tool of the test matches "${name}"` : `No tool of the test is named "${name}"`,
    hint: didYouMean(name, names) ?? `Tools of the test: ${names.join(", ")}`,
  });
}

function isObjectAt(value: unknown, path: Path): boolean {
  let found = value;
  for (const step of path) {
    if (Array.isArray(found)) found = found[Number(step)];
    else if (isRecord(found)) found = found[step];
    else return false;
  }
  return isRecord(found);
}
