import type { HttpTransport } from "./providers/http/transport.js";
import type { ProcessRunner } from "./processes/process-runner.js";
import type { Redactor } from "./redaction/redactor.js";
import type { Clock } from "./values/clock.js";

/** What a caller hands in. Everything but `env` and `cwd` has a default that is the real thing. */
export interface Environment {
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  cwd: string;
  /** Aborts when the user interrupts. */
  signal?: AbortSignal;
  clock?: Clock;
  http?: HttpTransport;
  processes?: ProcessRunner;
  /** Takes what is to be done, at once, when the calling process ends in the middle of a run. */
  atExit?(callback: () => void): void;
  /** Told, before it is parsed, when the files of a config are longer than what is read in no time (100,000 characters). */
  expectLargeConfig?(): void;
  /**
   * Hides secrets in everything that is written: the one that the caller's own output goes through too. It learns the
   * secrets of the config and of `.env` files as soon as these are read. Default: one that starts with those of `env`.
   */
  redactor?: Redactor;
}
