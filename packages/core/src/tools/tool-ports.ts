import type { UserModules } from "../modules/user-modules.js";
import type { ProcessRunner } from "../processes/process-runner.js";
import type { Workspace } from "../workspace/workspace.js";
import type { Delegate } from "./builtin/task/delegate.js";
import type { SkillsConfig } from "./builtin/skills/skills-config.js";
import type { HttpTransport } from "../providers/http/transport.js";

/** The world as the sources of tools see it. */
export interface ToolPorts {
  /** The user's own modules. */
  modules: UserModules;
  processes: ProcessRunner;
  http: Pick<HttpTransport, "send">;
  /** Environment of the user's own programs. */
  env: Readonly<Record<string, string | undefined>>;
  /** The folder of the trial; null if it has none. */
  workspace: Workspace | null;
  /** Null if it has none. */
  skills: SkillsConfig | null;
  /** Null if the agent has no sub-agents. */
  delegate: Delegate | null;
  /** Aborts when nobody waits for the tools any longer. */
  signal: AbortSignal;
}
