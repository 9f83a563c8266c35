import type { ProcessRunner } from "../../processes/process-runner.js";

/** What runs the programs of workspaces, and the environment of KindLM. */
export interface CommandRunner {
  processes: ProcessRunner;
  env: Readonly<Record<string, string | undefined>>;
}
