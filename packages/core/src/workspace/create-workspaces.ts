import { mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { attempt } from "../errors/boundary.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { messageOf } from "../errors/message-of.js";
import { failure, success, type Result } from "../result.js";
import { openGitSeed, type GitRunner } from "./open-git-seed.js";
import { Sandboxes } from "./sandbox/sandboxes.js";
import type { SandboxLack } from "./sandbox/sandbox-lack.js";
import type { CommandWorld } from "./workspace-commands.js";
import { unusable, Workspace, type SeedSource } from "./workspace.js";
import type { FileChange, WorkspaceRecord } from "../transcript/workspace-record.js";
import type { WorkspaceConfig } from "./workspace-config.js";

/** Makes the folders of trials. */
export interface Workspaces {
  /** `changes`: what a trial made of it before. Fails with ENGINE_FIXTURE_ERROR. */
  open(config: WorkspaceConfig, changes?: readonly FileChange[]): Promise<Result<Workspace>>;
  /** What the sandboxes of commands lack; null if nothing so far. */
  readonly sandboxLack: SandboxLack | null;
  /** Removes what its folders were made from; the folders themselves belong to their trials. */
  close(): Promise<void>;
}

/** The files that a trial left, for its assertions. */
export interface WorkspaceFiles {
  /** The folder as the agent left it; nobody may change it. */
  open(): Promise<Result<Workspace>>;
  /** A copy for a check that may change it, which removes it. */
  copy(): Promise<Result<Workspace>>;
}

/** `base`: the folder in which all folders are made. */
export function createWorkspaces(base: string, runner: GitRunner & Pick<CommandWorld, "clock">): Workspaces {
  const sandboxes = new Sandboxes(runner);
  const world = { ...runner, sandboxes };
  const clones = new Map<string, Promise<Result<string>>>();

  const cloneOf = (seed: { repository: string; commit: string }): Promise<Result<string>> => {
    const key = `${seed.commit} ${seed.repository}`;
    const known = clones.get(key);
    if (known !== undefined) return known;
    const making = clone(base, seed, runner);
    clones.set(key, making);
    return making;
  };

  const sourceOf = async ({ seed, files, skills }: WorkspaceConfig): Promise<Result<SeedSource>> => {
    if (seed.kind !== "git") return success({ folder: seed.kind === "folder" ? seed.folder : null, files, skills });
    const cloned = await cloneOf(seed);
    return cloned.success ? success({ folder: cloned.data, files, skills }) : cloned;
  };

  return {
    get sandboxLack() {
      return sandboxes.lack;
    },
    async open(config, changes) {
      const source = await sourceOf(config);
      return source.success ? Workspace.open(base, config, source.data, world, changes) : source;
    },
    async close() {
      for (const making of clones.values()) {
        const cloned = await making;
        if (cloned.success) await remove(path.dirname(cloned.data));
      }
    },
  };
}

/** Once per run: copying a folder is faster than cloning it again. */
async function clone(
  base: string,
  seed: { repository: string; commit: string },
  runner: GitRunner,
): Promise<Result<string>> {
  const parent = await attempt(() => mkdtemp(path.join(base, "kindlm-seed-")), toError);
  if (!parent.success) return parent;
  const folder = path.join(parent.data, "clone");
  const cloned = await openGitSeed(seed, folder, runner);
  if (cloned.success) return success(folder);
  await remove(parent.data);
  return cloned;
}

/** The files of a finished trial, made again from what was recorded of them. Close it in the end. */
export class RestoredFiles implements WorkspaceFiles {
  readonly #workspaces: Pick<Workspaces, "open">;
  readonly #config: WorkspaceConfig;
  readonly #record: WorkspaceRecord;
  #opened: Promise<Result<Workspace>> | null = null;

  constructor(workspaces: Pick<Workspaces, "open">, config: WorkspaceConfig, record: WorkspaceRecord) {
    this.#workspaces = workspaces;
    this.#config = config;
    this.#record = record;
  }

  open(): Promise<Result<Workspace>> {
    return (this.#opened ??= this.copy());
  }

  copy(): Promise<Result<Workspace>> {
    const { changes, truncated } = this.#record;
    const lost = changes.find(({ change, kind }) => change !== "deleted" && kind !== undefined && kind !== "folder");
    if (lost !== undefined || truncated === true) {
      const what = lost === undefined ? "it has too many changes" : `"${lost.path}" is too large or not text`;
      const message = `The workspace of the trial cannot be restored: ${what}. Run the test again`;
      return Promise.resolve(failure(kindlmError("ENGINE_FIXTURE_ERROR", message)));
    }
    return this.#workspaces.open(this.#config, changes);
  }

  async close(): Promise<void> {
    const opened = await this.#opened;
    if (opened?.success === true) await opened.data.remove();
  }
}

async function remove(folder: string): Promise<void> {
  await attempt(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }), toError);
}

function toError(cause: unknown): KindlmError {
  return unusable(`The workspace could not be made: ${messageOf(cause)}`, cause);
}
