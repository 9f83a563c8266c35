import type { AgentTemplate } from "../../tools/builtin/task/agents-config.js";
import type { Problem, Section } from "../source/section.js";
import type { ResolvedModel } from "../resolved-model.js";
import type { TemplateText } from "./check-placeholders.js";

/** A name of a tool, and where it is written. */
export interface UnknownTool {
  section: Section;
  problem: Problem;
  isReported: boolean;
}

/** The templates that a suite can delegate to. */
export interface KnownAgents {
  templates: readonly AgentTemplate[];
  models: ReadonlyMap<string, ResolvedModel>;
  /** Their system prompts, with placeholders. */
  texts: readonly TemplateText[];
  /** Names of tools that only the servers and modules of a suite can have. */
  unknownTools: readonly UnknownTool[];
}
