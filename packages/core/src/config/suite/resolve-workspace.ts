import path from "node:path";
import {
  defaultWorkspaceLimits,
  type WorkspaceConfig,
  type WorkspaceSeed,
  type WorkspaceLimits,
} from "../../workspace/workspace-config.js";
import type { WrittenWorkspace } from "../../workspace/workspace-schema.js";
import { findReference } from "../file-references.js";
import { report, type Section } from "../source/section.js";
import { listFolder } from "./list-folder.js";
import { expandSettings } from "./expand-settings.js";
import { findBuiltin } from "../../tools/builtin/registry.js";
import type { WrittenTest } from "../schema/suite-schema.js";
import type { TestScope } from "./test-scope.js";
import type { SuiteScope } from "./suite-scope.js";

type Written = Exclude<WrittenWorkspace, false>;

const at = ["workspace"];

/** `workspace:` of a suite or test, which is `section`; null for `false`, undefined where it is not written. */
export async function resolveWorkspace(
  section: Section,
  written: WrittenWorkspace | undefined,
  referencedIn: string,
  scope: SuiteScope,
): Promise<WorkspaceConfig | null | undefined> {
  if (written === undefined) return undefined;
  if (written === false) return null;
  const { files = {}, keep = "never", sandbox = true, network = false, limits } = written;
  if (written.from !== undefined && written.git !== undefined) {
    report(section, { path: [...at, "git"], atKey: true, message: '"from" and "git" cannot be combined' });
  }
  return {
    seed: await resolveSeed(section, written, referencedIn, scope),
    files,
    env: resolveEnv(section, written.env, scope),
    keep,
    sandbox,
    network,
    limits: resolveLimits(limits),
  };
}

function resolveLimits({ size, files, processes, time }: NonNullable<Written["limits"]> = {}): WorkspaceLimits {
  const usual = defaultWorkspaceLimits;
  return {
    size: size ?? usual.size,
    files: files ?? usual.files,
    processes: processes ?? usual.processes,
    time: time ?? usual.time,
  };
}

/** The workspace of a test: its own, else that of its suite. */
export async function resolveTestWorkspace(
  section: Section,
  test: Pick<WrittenTest, "workspace" | "faults">,
  referencedIn: string,
  { scope, suite, workspace: ofSuite, tools }: Pick<TestScope, "scope" | "suite" | "workspace" | "tools">,
): Promise<{ workspace?: WorkspaceConfig }> {
  const own = await resolveWorkspace(section, test.workspace, referencedIn, scope);
  const workspace = own === undefined ? ofSuite : own;
  if (workspace !== null && workspace !== undefined) return { workspace };
  const builtins = tools.configs.flatMap((tool) => (tool.kind === "builtin" ? tool.names : []));
  const needy = builtins.find((name) => findBuiltin(name)?.needsWorkspace === true);
  const fault = (test.faults ?? suite.faults)?.list.find(({ effect }) => effect.kind === "external_edit");
  const hint = "Add workspace: to the suite or the test, such as workspace: { from: fixtures/project }";
  if (needy !== undefined) report(section, { path: ["name"], message: `Tool "${needy}" needs a workspace`, hint });
  if (fault !== undefined) {
    report(section, { path: ["name"], message: `Fault "${fault.id}" needs a workspace: it changes a file`, hint });
  }
  return {};
}

/** Names are passed on where they are set; values are as they are written. */
function resolveEnv(section: Section, written: Written["env"], scope: SuiteScope): WorkspaceConfig["env"] {
  if (Array.isArray(written)) {
    const known = written.flatMap((name: string) => {
      const value = scope.env[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    return Object.fromEntries(known);
  }
  return expandSettings(section, at, { env: written ?? {} }, scope).env;
}

async function resolveSeed(
  section: Section,
  { from, git }: Written,
  referencedIn: string,
  scope: SuiteScope,
): Promise<WorkspaceSeed> {
  const seed = git === undefined ? from : git.repository;
  if (seed === undefined) return { kind: "empty" };
  const key = git === undefined ? [...at, "from"] : [...at, "git", "repository"];
  const label = `${git === undefined ? "Workspace" : "Repository"} "${path.normalize(seed)}"`;
  const found = await findReference({ section, path: key, written: seed, referencedIn, label }, scope.access);
  if (!found.success) section.findings.add(found.error);
  const folder = found.success ? found.data : seed;
  if (git !== undefined) return { kind: "git", repository: folder, commit: git.commit };
  const files = found.success
    ? await listFolder(folder, "workspace", (message) => report(section, { path: key, message }))
    : [];
  return { kind: "folder", folder, files };
}
