import type { AgentTemplate } from "../../tools/builtin/task/agents-config.js";
import type { ResolvedModel } from "../resolved-model.js";
import type { TemplateText } from "./check-placeholders.js";

/** The templates that a suite can delegate to. */
export interface KnownAgents {
  templates: readonly AgentTemplate[];
  models: ReadonlyMap<string, ResolvedModel>;
  /** Their system prompts, with placeholders. */
  texts: readonly TemplateText[];
}
