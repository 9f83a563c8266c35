/** A file that is no longer as the agent knows it. */
export interface SeenChange {
  /** Relative to the workspace. */
  path: string;
  change: "changed" | "deleted";
  /** When it was changed, in milliseconds since the epoch; null for a deleted file. */
  modifiedAt: number | null;
}
