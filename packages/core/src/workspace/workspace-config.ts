/** What a workspace must not exceed. */
export interface WorkspaceLimits {
  /** Size of all its files, bytes. */
  bytes: number;
  /** Number of files and folders. */
  files: number;
  /** Processes of its commands at a time. */
  processes: number;
  /** How long one command may run, milliseconds. */
  commandMs: number;
}

/** What a workspace holds at first, before `files` are written into it. */
export type WorkspaceSeed =
  | { kind: "empty" }
  /** `folder`: absolute. `files`: absolute paths of all files in it, sorted. */
  | { kind: "folder"; folder: string; files: readonly string[] }
  /** `repository`: absolute path. `commit`: the full ID. */
  | { kind: "git"; repository: string; commit: string };

/** When the folder of a finished trial stays on the disk. */
export const keepRules = ["on_failure", "always", "never"] as const;
export type KeepRule = (typeof keepRules)[number];

/** `workspace:` of a test: the folder that each of its trials gets. */
export interface WorkspaceConfig {
  seed: WorkspaceSeed;
  /** Contents by path, relative with slashes; they replace those of the seed. */
  files: Readonly<Record<string, string>>;
  /** Variables that its commands see in addition to `PATH`, `HOME`, `LANG` and `TMPDIR`. */
  env: Readonly<Record<string, string>>;
  /** Whether its commands may use the network. */
  network: boolean;
  limits: WorkspaceLimits;
  keep: KeepRule;
}

export const defaultLimits: WorkspaceLimits = {
  bytes: 500_000_000,
  files: 50_000,
  processes: 256,
  commandMs: 120_000,
};
