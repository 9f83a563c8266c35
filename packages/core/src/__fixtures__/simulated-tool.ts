import type { SimulatedToolConfig } from "../tools/tool-config.js";
import { toolSchema } from "../tools/tool-schema.js";

/** A simulated tool as the config has it. */
export function simulatedTool(written: unknown): SimulatedToolConfig {
  const tool = toolSchema.parse(written);
  if (tool.kind !== "simulated") throw new Error(`It is of kind ${tool.kind}`);
  return tool;
}
