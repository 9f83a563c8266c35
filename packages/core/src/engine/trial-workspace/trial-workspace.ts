import type { KindlmError } from "../../errors/kindlm-error.js";
import type { PlannedCase } from "../../plan/run-plan.js";
import { success, type Result } from "../../result.js";
import type { WorkspaceRecord } from "../../transcript/workspace-record.js";
import { RestoredFiles, type WorkspaceFiles, type Workspaces } from "../../workspace/create-workspaces.js";
import type { WorkspaceConfig } from "../../workspace/workspace-config.js";
import type { Workspace } from "../../workspace/workspace.js";
import type { TrialResult } from "../run-result.js";

/** The folder of a trial, from before its first message until after its last assertion. */
export class TrialWorkspace {
  /** Null for a trial without one, and where none could be made. */
  readonly folder: Workspace | null;
  /** Fails if the folder could not be made. */
  readonly opened: Result<void>;
  readonly #workspaces: Pick<Workspaces, "open">;
  #isKept = false;

  private constructor(opened: Result<Workspace | null>, workspaces: Pick<Workspaces, "open">) {
    this.folder = opened.success ? opened.data : null;
    this.opened = opened.success ? success(undefined) : opened;
    this.#workspaces = workspaces;
  }

  /** Of a trial without one. */
  static none(workspaces: Pick<Workspaces, "open">): TrialWorkspace {
    return new TrialWorkspace(success(null), workspaces);
  }

  static async open(config: WorkspaceConfig, workspaces: Pick<Workspaces, "open">): Promise<TrialWorkspace> {
    return new TrialWorkspace(await workspaces.open(config), workspaces);
  }

  /**
   * What the agent made of it, to be asked for before a check can change anything; undefined if that is not known. Ends the
   * programs that run in it first, so nothing changes while it is compared.
   */
  async record(folder: Workspace): Promise<WorkspaceRecord | undefined> {
    await folder.commands.close();
    const recorded = await folder.record();
    return recorded.success ? recorded.data : undefined;
  }

  /** Why the trial ends, if commands have exceeded a limit of the workspace. */
  get brokenLimit(): KindlmError | null {
    return this.folder?.commands.brokenLimit ?? null;
  }

  /** What assertions see; nothing if there is no folder. */
  files(): { workspace?: WorkspaceFiles } {
    const { folder } = this;
    if (folder === null) return {};
    const workspaces = this.#workspaces;
    return {
      workspace: {
        open: async () => success(folder),
        copy() {
          // The skills are in it as the agent left them.
          const { skills: _skills, ...config } = folder.config;
          return workspaces.open({ ...config, seed: { kind: "folder", folder: folder.root, files: [] }, files: {} });
        },
      },
    };
  }

  /** The folder's path if it stays, now that the status is known; undefined if it is to be removed. */
  keepFor(status: TrialResult["status"]): string | undefined {
    const { folder } = this;
    const keep = folder?.config.keep ?? "never";
    this.#isKept = keep === "always" || (keep === "on_failure" && status !== "passed");
    return this.#isKept ? folder?.root : undefined;
  }

  /** Removes the folder, unless it stays. No program that ran in it does. */
  async close(): Promise<void> {
    const { folder } = this;
    if (folder !== null) await (this.#isKept ? folder.commands.close() : folder.remove());
  }
}

/** The files that an earlier trial left, if it had a workspace. */
export function restoreFiles(
  { test }: PlannedCase,
  { workspace: record }: TrialResult,
  workspaces: Pick<Workspaces, "open">,
): RestoredFiles | null {
  const { workspace: config } = test;
  return config === undefined || record === undefined ? null : new RestoredFiles(workspaces, config, record);
}
