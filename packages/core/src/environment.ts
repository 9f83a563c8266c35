import type { HttpTransport } from "./providers/http/transport.js";
import type { ProcessRunner } from "./processes/process-runner.js";
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
  /** Told the values of secrets as soon as the config says which variables hold them, `.env` files included. */
  learnSecrets?(values: readonly string[]): void;
}
