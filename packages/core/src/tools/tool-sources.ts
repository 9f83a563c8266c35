import { createSimulatedHandler } from "./simulated/create-simulated-handler.js";
import type { ToolConfig } from "./tool-config.js";
import type { AnswerScope, ToolHandler } from "./tool-handler.js";

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
