import type { Redactor } from "../redaction/redactor.js";

/** What reading a config takes of the world. */
export interface ConfigEnvironment {
  /** Default: the environment of the process. */
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute. Default: the working folder of the process. */
  cwd: string;
  /**
   * Hides secrets in everything that is written: the one that the caller's own output goes through too. It learns the
   * secrets of the config and of `.env` files as soon as these are read. Default: one that starts with those of `env`.
   */
  redactor?: Redactor;
  /**
   * Called with each place whose content the config depends on, absolute: also one where nothing is yet. `below` means
   * any file below that folder.
   */
  onDependency?(place: string, kind: "file" | "below"): void;
  /** Called before parsing if the files of a config are long (over 100,000 characters). */
  expectLargeConfig?(): void;
}
