import { kindlmError } from "../../errors/kindlm-error.js";
import type { RenderedCase } from "../../plan/run-plan.js";
import { failure, success, type Result } from "../../result.js";
import type { RunnableTool, ToolConfig } from "../../tools/tool-config.js";
import { matchesNameGlob } from "../../values/name-glob.js";
import { didYouMean } from "../../values/nearest-name.js";

/** By the ID of the template. */
type AgentTools = ReadonlyMap<string, readonly RunnableTool[]>;

/** The tools that the config gives each template, but for the built-in ones. */
export async function openAgentTools(
  { agents = new Map() }: Pick<RenderedCase, "agents">,
  open: (tools: readonly ToolConfig[]) => Promise<Result<readonly RunnableTool[]>>,
): Promise<Result<AgentTools>> {
  const opened = new Map<string, readonly RunnableTool[]>();
  for (const [id, { tools }] of agents) {
    const own = await open(tools.filter(({ kind }) => kind !== "builtin"));
    if (!own.success) return own;
    opened.set(id, own.data);
  }
  return success(opened);
}

/**
 * Adds the tools that a template names and whose names only a server or a module knows. `own`: those of the agent under
 * test. Fails with ENGINE_FIXTURE_ERROR where there is none.
 */
export function addNamedTools(
  { agents = new Map() }: Pick<RenderedCase, "agents">,
  opened: AgentTools,
  own: readonly RunnableTool[],
): Result<AgentTools> {
  const choices = own.filter((tool) => tool.kind === "simulated" || tool.isOfTrial !== true);
  const added = new Map<string, readonly RunnableTool[]>();
  for (const [id, { toolNames = [] }] of agents) {
    const isMeant = ({ name }: RunnableTool): boolean => toolNames.some((glob) => matchesNameGlob(glob, name));
    const missing = toolNames.find((glob) => !choices.some(({ name }) => matchesNameGlob(glob, name)));
    if (missing !== undefined) return failure(missingTool(id, missing, choices));
    added.set(id, [...new Set([...(opened.get(id) ?? []), ...choices.filter(isMeant)])]);
  }
  return success(added);
}

function missingTool(id: string, name: string, choices: readonly RunnableTool[]) {
  const names = choices.map((tool) => tool.name);
  const hint = didYouMean(name, names) ?? `The test has: ${names.join(", ") || "none"}`;
  return kindlmError("ENGINE_FIXTURE_ERROR", `Tool "${name}" of the agent template "${id}" not found. ${hint}`);
}
