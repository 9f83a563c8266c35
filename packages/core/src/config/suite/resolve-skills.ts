import path from "node:path";
import { mostSkillBytes, type SkillConfig, type SkillsConfig } from "../../tools/builtin/skills/skills-config.js";
import type { WrittenSkills } from "../../tools/builtin/skills/skills-schema.js";
import { success, type Result } from "../../result.js";
import { isRecord } from "../../values/json.js";
import { didYouMean } from "../../values/nearest-name.js";
import { skillsFolder, type WorkspaceConfig } from "../../workspace/workspace-config.js";
import { findReference } from "../file-references.js";
import { report, type Problem, type Section } from "../source/section.js";
import { parseYaml } from "../source/yaml-document.js";
import { listFolder } from "./list-folder.js";
import type { WrittenTest } from "../schema/suite-schema.js";
import { resolveTestWorkspace } from "./resolve-workspace.js";
import type { TestScope } from "./test-scope.js";
import type { ResolvedTools } from "./resolve-tools.js";
import type { SuiteScope } from "./suite-scope.js";

/** Where skills are looked for, and where what is wrong with them is reported. */
interface SkillsPlace {
  section: Section;
  path: readonly (string | number)[];
  folder: string;
  only: readonly string[] | null;
}

/** A folder with a SKILL.md. */
interface FoundSkill extends SkillConfig {
  files: readonly string[];
}

/**
 * `skills:` of a suite or test, which is `section`: its own, else that of the top level, else `.skills`. Undefined if
 * nothing asks for them.
 */
export async function resolveSkills(
  section: Section,
  written: WrittenSkills | undefined,
  referencedIn: string,
  { configs }: Pick<ResolvedTools, "configs">,
  scope: SuiteScope,
): Promise<SkillsConfig | undefined> {
  const isNeeded = configs.some((tool) => tool.kind === "builtin" && tool.names.includes("skills"));
  const top = scope.written.skills;
  if (written === undefined && !isNeeded) return undefined;
  const ofConfig = { ...scope.section, findings: section.findings };
  const owner = written === undefined ? ofConfig : section;
  const at = written === undefined && top === undefined ? [] : ["skills"];
  const meant = written ?? top ?? skillsFolder;
  const { folder = skillsFolder, only = null } = typeof meant === "string" ? { folder: meant } : meant;
  return loadSkills({ section: owner, path: at, folder, only }, referencedIn, scope);
}

/** The workspace and the skills of a test; where it has no own, those of its suite. */
export async function resolveFolders(
  section: Section,
  test: Pick<WrittenTest, "workspace" | "skills" | "faults">,
  referencedIn: string,
  shared: TestScope,
): Promise<{ workspace?: WorkspaceConfig; skills?: SkillsConfig }> {
  const { scope, reachable: tools } = shared;
  const skills =
    test.skills === undefined ? shared.skills : await resolveSkills(section, test.skills, referencedIn, tools, scope);
  return withSkills(await resolveTestWorkspace(section, test, referencedIn, { ...shared, tools }), skills);
}

/** The skills are copied into the workspace. */
function withSkills(
  { workspace }: { workspace?: WorkspaceConfig },
  skills: SkillsConfig | undefined,
): { workspace?: WorkspaceConfig; skills?: SkillsConfig } {
  if (skills === undefined || workspace === undefined) {
    return { ...(workspace && { workspace }), ...(skills && { skills }) };
  }
  const { folder } = skills;
  return { skills, workspace: { ...workspace, skills: { folder, places: skills.skills.map(({ place }) => place) } } };
}

async function loadSkills(
  place: SkillsPlace,
  referencedIn: string,
  scope: SuiteScope,
): Promise<SkillsConfig | undefined> {
  const { section, path: at, folder: written, only } = place;
  const add = (message: string, hint?: string): void =>
    report(section, { path: at, message, hint, code: "CONFIG_FILE_REF_ERROR", subject: written });
  const label = `Skills folder "${path.normalize(written)}"`;
  const found = await findReference({ section, path: at, written, referencedIn, label }, scope.access);
  if (!found.success) {
    section.findings.add(found.error);
    return undefined;
  }
  const folder = found.data;
  scope.access.files.note(folder, "below");
  const files = await listFolder(folder, "skills folder", add);
  const skills = await readSkills(
    { folder, shown: written },
    files,
    (problem) => add(problem.message, problem.hint),
    scope,
  );
  const chosen = only === null ? skills : skills.filter(({ name }) => only.includes(name));
  for (const name of only ?? []) {
    const names = skills.map((one) => one.name);
    if (!names.includes(name)) add(`Skill "${name}" not found in "${written}"`, didYouMean(name, names) ?? undefined);
  }
  if (skills.length === 0) add(`There is no skill in "${written}"`, `Add ${written}/<name>/SKILL.md`);
  const from = path.dirname(scope.section.document.source.path);
  return {
    folder,
    shown: path.relative(from, folder).split(path.sep).join("/"),
    skills: chosen.map(({ name, description, place: own }) => ({ name, description, place: own })),
    files: chosen.flatMap((skill) => skill.files).toSorted(),
  };
}

async function readSkills(
  { folder, shown }: { folder: string; shown: string },
  files: readonly string[],
  add: (problem: Pick<Problem, "message" | "hint">) => void,
  scope: SuiteScope,
): Promise<readonly FoundSkill[]> {
  const found = new Map<string, FoundSkill>();
  let last: string | null = null;
  for (const file of files.filter((one) => path.basename(one) === "SKILL.md").toSorted()) {
    const own = path.dirname(file);
    const place = path.relative(folder, own).split(path.sep).join("/");
    // A folder in a skill belongs to it. Archived skills, and whatever else is hidden, are none.
    const isInside = last !== null && own.startsWith(last + path.sep);
    if (place === "" || isInside || place.split("/").some((name) => name.startsWith("."))) continue;
    last = own;
    const name = path.basename(own);
    const described = await describe(file, `${shown}/${place}/SKILL.md`, name, scope);
    if (!described.success) add(described.error);
    const twin = found.get(name);
    if (twin !== undefined) add({ message: `Two skills are named "${name}": ${twin.place} and ${place}` });
    const description = described.success ? described.data : "";
    found.set(name, { name, description, place, files: files.filter((one) => one.startsWith(own + path.sep)) });
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const frontMatter = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const example = "Begin it with ---, name: <its folder>, description: <when to use it>, ---";

/** What a SKILL.md says of itself. `shown`: its path as the user would write it. */
async function describe(
  file: string,
  shown: string,
  folderName: string,
  { access }: SuiteScope,
): Promise<Result<string, Pick<Problem, "message" | "hint">>> {
  const refuse = (message: string, hint?: string): { success: false; error: Pick<Problem, "message" | "hint"> } => ({
    success: false,
    error: { message: `${shown} ${message}`, hint },
  });
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(folderName)) {
    return refuse("has a folder that cannot be a name", "Name it with letters, digits, . _ and -");
  }
  const source = await access.files.text(file, mostSkillBytes);
  if (!source.success) return refuse(source.error.reason);
  const [, yaml] = frontMatter.exec(source.data.text) ?? [];
  if (yaml === undefined) return refuse("has no front matter", example);
  const parsed = await parseYaml({ ...source.data, text: yaml });
  if (!parsed.success) return refuse(`has front matter that is not YAML: ${parsed.error[0]?.message ?? ""}`);
  const { value } = parsed.data;
  const { name, description } = isRecord(value) ? value : {};
  if (name !== folderName) {
    const says = typeof name === "string" ? `says name: ${name}` : "has no name in its front matter";
    return refuse(says, `Write name: ${folderName}, as its folder is named`);
  }
  if (typeof description !== "string" || description.trim() === "") {
    return refuse("has no description in its front matter", "Write when the agent should load it");
  }
  return success(description.replaceAll(/\s+/g, " ").trim());
}
