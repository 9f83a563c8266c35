import type { Finding, FindingText } from "./source/finding.js";

/** A plugin as the config names it; its module is not loaded yet. */
export interface ResolvedPlugin {
  /** As it is written, such as `./plugins/alert.ts#onFailure`. */
  written: string;
  /** Absolute. */
  file: string;
  exportName: string;
  /** The value of `with`, environment filled in; null if it is not set. */
  options: unknown;
  /** Deadline of each call of a hook. */
  timeoutMs: number;
  /** Says something at its place in the config. */
  findingOf(text: FindingText): Finding;
}
