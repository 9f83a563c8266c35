import { failure, success, type Result } from "../result.js";
import { createSimulatedHandler } from "./simulated/create-simulated-handler.js";
import { renderSimulatedTool } from "./simulated/render-simulated-tool.js";
import type { ToolConfig } from "./tool-config.js";
import type { AnswerScope, ToolHandler } from "./tool-handler.js";

/**
 * The tools of one case: what in their settings depends on vars and row is filled in. Tools that depend on neither are
 * handed on as they are. Fails with the tool's name and what is not valid.
 */
export function renderTools(tools: readonly ToolConfig[], scope: AnswerScope): Result<readonly ToolConfig[], string> {
  const rendered: ToolConfig[] = [];
  for (const tool of tools) {
    const one = renderSimulatedTool(tool, scope);
    if (!one.success) return failure(`tool "${tool.name}": ${one.error}`);
    rendered.push(one.data);
  }
  return success(rendered);
}

type SourceRegistry = {
  [Kind in ToolConfig["kind"]]: (config: Extract<ToolConfig, { kind: Kind }>, scope: AnswerScope) => ToolHandler;
};

/** Every kind of tool and how it is made for a trial; a new kind joins with one line. */
const toolSources: SourceRegistry = {
  simulated: createSimulatedHandler,
};

export function createToolHandler(config: ToolConfig, scope: AnswerScope): ToolHandler {
  return toolSources[config.kind](config, scope);
}
