import type { Result } from "../result.js";
import type { AgentTemplate, SubagentLimits } from "../tools/builtin/task/agents-config.js";
import type { ResolvedModel } from "./resolved-model.js";

/** The sub-agents of a test. */
export interface ResolvedAgents {
  templates: readonly AgentTemplate[];
  /** Of the agent under test. */
  subagents: SubagentLimits;
  /** By the IDs of the templates that name one. */
  models: ReadonlyMap<string, ResolvedModel>;
  /**
   * A model that an agent names when it delegates, by its ID, as provider:model, or as a model of the provider of `asking`.
   * The error says what is wrong with the name.
   */
  findModel(
    name: string | { provider: string; model: string },
    asking: ResolvedModel | null,
  ): Result<ResolvedModel, string>;
}
