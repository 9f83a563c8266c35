import type { ToolConfig } from "../../tool-config.js";

/** Where delegation ends. */
export interface SubagentLimits {
  /** How many levels of sub-agents there may be below the agent; null for its parent's limit alone. */
  depth: number | null;
  /** IDs of the templates that it may choose from; null for all. */
  templates: readonly string[] | null;
}

/** An entry of `agents:`. */
export interface AgentTemplate {
  id: string;
  /** May hold placeholders of the test. */
  system: string;
  whenToUse: string | null;
  tools: readonly ToolConfig[];
  /** Names and globs of tools of the agent under test that are known once their server or module is asked. */
  toolNames?: readonly string[];
  subagents: SubagentLimits;
}
